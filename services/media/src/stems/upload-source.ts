import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { callService, startTimeLimit, type ServiceLink, type TimeLimit } from './service-call.ts'
import { UploadAnswer } from './stem-answers.ts'
import { StemServiceError } from './stem-service-error.ts'

/** A file for the service. */
export interface Upload {
  readonly file: string
  /** Name of the file at the service; any text. */
  readonly name: string
  readonly signal?: AbortSignal | undefined
  /** Bytes given to the network so far, and of how many. */
  readonly onProgress?: ((sent: number, total: number) => void) | undefined
}

/** A file the service has. */
export interface UploadedSource {
  readonly sourceId: string
  /** As the service measured it, and bills it. */
  readonly durationSeconds: number
}

/** Sends a file as it lies on the disk. An error of reading it comes as it is. */
export async function uploadSource(link: ServiceLink, key: string, upload: Upload): Promise<UploadedSource> {
  const handle = await open(upload.file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = await handle.stat()
    if (size === 0) throw new StemServiceError('failed', { detail: 'the audio file is empty' })
    using limit = startTimeLimit(link.timers, link.limits.stallMs, upload.signal)
    const content = contentOf({ handle, size, limit }, upload.onProgress)
    const answer = await callService(link, {
      path: '/api/v1/upload/',
      key,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'content-disposition': attachmentOf(upload.name),
      },
      body: content.chunks(),
      answer: UploadAnswer,
      limit,
    }).catch((error: unknown) => {
      throw content.failure ?? error
    })
    return { sourceId: answer.id, durationSeconds: answer.duration }
  } finally {
    await handle.close()
  }
}

/**
 * Exactly `size` bytes of the file. What goes wrong with the file is kept, because the HTTP client would report it as its own
 * failure.
 */
function contentOf(
  { handle, size, limit }: { handle: FileHandle; size: number; limit: TimeLimit },
  onProgress: Upload['onProgress'],
) {
  const content = { chunks, failure: undefined as unknown }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < size;) {
      const chunk = await readChunk(handle, { from: sent, end: size }).catch((error: unknown) => {
        content.failure = error
        throw error
      })
      yield chunk
      sent += chunk.length
      limit.restart()
      onProgress?.(sent, size)
    }
  }

  return content
}

async function readChunk(handle: FileHandle, range: { readonly from: number; readonly end: number }): Promise<Buffer> {
  const space = Buffer.allocUnsafe(Math.min(262_144, range.end - range.from))
  const { bytesRead } = await handle.read(space, 0, space.length, range.from)
  if (bytesRead === 0) throw new Error('the audio file became shorter while it was sent')
  return space.subarray(0, bytesRead)
}

/** A `Content-Disposition` for any name: plain letters for old readers, the name itself encoded (RFC 5987) for the others. */
export function attachmentOf(name: string): string {
  const whole = name.toWellFormed().replaceAll(/\p{Cc}/gu, '')
  const plain = whole.replaceAll(/[^A-Za-z0-9._ -]/gu, '_')
  const encoded = encodeURIComponent(whole).replaceAll(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=utf-8''${encoded}`
}
