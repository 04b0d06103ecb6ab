import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/** A file of the log that is being read, from anywhere to its present end. */
export interface LogSource {
  /** Reads the beginning of the file, as far as it is there. */
  head(): Promise<Uint8Array>
  /** Passes the content from an offset to the current end to `take`, in chunks. Stops early when `take` returns false. */
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

/** A packed file is unpacked for each call, which is needed only for files rolled while the service was down. */
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
    // Stopping early is not an error.
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

/** Position up to which a log was read. Files are read in the order they were rolled, the current one last. */
export interface LogPosition {
  /** Stamp of the newest rolled file that was read to its end; empty for none. The next one is the file being read. */
  readonly rolledAfter: string
  /** Bytes of the file being read, up to the end of a line. */
  readonly offset: number
  /** Hash of what that file begins with, to notice when another one stands in its place. */
  readonly head: string
}

/** Bytes at the beginning of a file that identify it; the first line's time is among them. */
export const headLength = 256

/** Hash of the beginning of a file of which so much was read. */
export const headOf = (beginning: Uint8Array, offset: number): string =>
  createHash('sha256')
    .update(beginning.subarray(0, Math.min(offset, headLength)))
    .digest('base64url')

/** A file the log was rolled into. */
interface RolledFile {
  /** The moment in its name; sorts by time. */
  readonly stamp: string
  readonly path: string
  readonly isPacked: boolean
}

/**
 * The files a log was rolled into, oldest first: `access-2026-11-21T19-01-18.366.log`, and `.gz` of the same once it was
 * packed. While both are there, the packed one is not finished.
 */
export async function rolledFiles(path: string): Promise<RolledFile[]> {
  const extension = extname(path)
  const prefix = `${basename(path, extension)}-`
  const found = new Map<string, RolledFile>()
  for (const name of await namesIn(dirname(path))) {
    const isPacked = name.endsWith(`${extension}.gz`)
    if (!name.startsWith(prefix) || !(isPacked || name.endsWith(extension))) continue
    const stamp = name.slice(prefix.length, -(extension.length + (isPacked ? 3 : 0)))
    if (!/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(stamp)) continue
    if (!isPacked || !found.has(stamp)) found.set(stamp, { stamp, path: join(dirname(path), name), isPacked })
  }
  return [...found.values()].toSorted((one, other) => (one.stamp < other.stamp ? -1 : 1))
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
