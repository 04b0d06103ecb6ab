import { OutboundFailed, OutboundRefused } from '@hearth/outbound'
import { z } from 'zod'
import type { ReleaseWeb } from './release-web.ts'
import { ytDlpVersion } from './tool-pin.ts'
import { UpdateFailed } from './update-failed.ts'

/** A release of yt-dlp: its version, and where its files are. */
export interface Release {
  readonly version: string
  /** Address of a file by its name; undefined when the release has none of that name. */
  fileUrl(name: string): string | undefined
}

const patience = 20_000
const largest = 1024 * 1024

const Answer = z.object({
  tag_name: z.string().regex(ytDlpVersion),
  assets: z.array(z.object({ name: z.string(), browser_download_url: z.string() })),
})

/** Asks for a release: the newest, or that of a version. Throws `UpdateFailed`. */
export async function askRelease(
  web: ReleaseWeb,
  wanted: 'latest' | { version: string },
  signal: AbortSignal,
): Promise<Release> {
  const which = wanted === 'latest' ? 'latest' : `tags/${wanted.version}`
  const url = web.apiUrl(`/repos/yt-dlp/yt-dlp/releases/${which}`)
  const headers = { accept: 'application/vnd.github+json' }
  const options = { headers, redirects: 3, maxBytes: largest, timeoutMs: patience, signal }
  const { status, body } = await web.fetch(url, options).catch(rethrow)
  if (status !== 200) throw new UpdateFailed(`the server of releases answered ${status}`)
  const { tag_name: version, assets } = read(body)
  return {
    version,
    fileUrl: (name) =>
      assets.find((asset) => asset.name === name && web.isFileUrl(asset.browser_download_url))?.browser_download_url,
  }
}

function read(body: Uint8Array): z.infer<typeof Answer> {
  try {
    return Answer.parse(JSON.parse(Buffer.from(body).toString()))
  } catch (cause) {
    throw new UpdateFailed('the answer of the server of releases cannot be read', { cause })
  }
}

/** Makes of what the guard says what the user is told; anything else goes on as it is. */
export function rethrow(cause: unknown): never {
  if (cause instanceof OutboundFailed || cause instanceof OutboundRefused)
    throw new UpdateFailed(cause.message, { cause })
  throw cause
}
