import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { headLength } from './log-position.ts'

/** A file of the log that is being read, from anywhere to its present end. */
export interface LogSource {
  /** Reads the beginning of the file, as far as it is there. */
  head(): Promise<Uint8Array>
  /** Hands on what stands from an offset to the present end, in pieces. Stops early when `take` answers false. */
  read(offset: number, take: (bytes: Uint8Array) => Promise<boolean>): Promise<void>
  /** Tells files apart while they are open; undefined for a packed one, which no longer changes. */
  readonly inode: bigint | undefined
  size(): Promise<number | undefined>
  close(): Promise<void>
}

const pieceLength = 65_536

/** Opens a file; undefined when it is not there (any more). */
export async function openLogSource(path: string, isPacked: boolean): Promise<LogSource | undefined> {
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return isPacked ? packedSource(file) : plainSource(file)
}

async function plainSource(file: FileHandle): Promise<LogSource> {
  const { ino } = await file.stat({ bigint: true })
  const buffer = Buffer.alloc(pieceLength)
  return {
    inode: ino,
    async head() {
      const { bytesRead } = await file.read(buffer, 0, headLength, 0)
      return Uint8Array.from(buffer.subarray(0, bytesRead))
    },
    async read(offset, take) {
      for (let at = offset; ;) {
        const { bytesRead } = await file.read(buffer, 0, pieceLength, at)
        if (bytesRead === 0 || !(await take(buffer.subarray(0, bytesRead)))) return
        at += bytesRead
      }
    },
    size: async () => (await file.stat()).size,
    close: () => file.close(),
  }
}

/** Packed files are unpacked anew for each question; that happens only for what was rolled while nobody read. */
function packedSource(file: FileHandle): LogSource {
  return {
    inode: undefined,
    async head() {
      const pieces: Uint8Array[] = []
      let length = 0
      await unpack(file, (bytes) => {
        pieces.push(bytes.subarray(0, headLength))
        length += bytes.length
        return Promise.resolve(length < headLength)
      })
      return Buffer.concat(pieces).subarray(0, headLength)
    },
    async read(offset, take) {
      let at = 0
      await unpack(file, (bytes) => {
        const rest = bytes.subarray(Math.max(0, offset - at))
        at += bytes.length
        return rest.length === 0 ? Promise.resolve(true) : take(rest)
      })
    },
    size: () => Promise.resolve(undefined),
    close: () => file.close(),
  }
}

async function unpack(file: FileHandle, take: (bytes: Uint8Array) => Promise<boolean>): Promise<void> {
  let isEnough = false
  await pipeline(piecesOf(file), createGunzip(), async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of pieces) {
      isEnough = !(await take(piece))
      if (isEnough) return
    }
  }).catch((error: unknown) => {
    // Leaving early is no failure.
    if (!isEnough) throw error
  })
}

/** A stream of the file would close it at its end. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(pieceLength), 0, pieceLength, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
