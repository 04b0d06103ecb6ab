import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { OpenGuarded } from '@hearth/outbound'
import { writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'
import { type DatabaseKind, downloadedPath, maxDatabaseBytes, openDatabaseBytes } from './databases.ts'

const timeout = 10 * 60_000

/** Record that is kept beside a downloaded database. */
const DownloadRecord = z.object({
  /** SHA-256 of the address: it may hold a licence key. */
  source: z.string(),
  etag: z.string().nullable(),
  /** Time of the last successful request, milliseconds since the epoch. */
  checkedAt: z.number(),
})
export type DownloadRecord = z.infer<typeof DownloadRecord>

const recordPath = (folder: string, kind: DatabaseKind) => join(folder, `${kind}.json`)

/** Reads the record of the last download; undefined for none. */
export async function readDownloadRecord(folder: string, kind: DatabaseKind): Promise<DownloadRecord | undefined> {
  try {
    return DownloadRecord.parse(JSON.parse(await readFile(recordPath(folder, kind), 'utf8')))
  } catch {
    return undefined
  }
}

/** Stands for an address in the record. */
export const sourceOf = (url: string) => createHash('sha256').update(url).digest('hex')

export interface Download {
  readonly kind: DatabaseKind
  readonly url: string
  readonly folder: string
  readonly open: OpenGuarded
  readonly now: number
  readonly signal: AbortSignal
  /** True if what was downloaded last is still there; if not, it is sent again although nothing changed. */
  readonly isThere: boolean
}

/**
 * Downloads a database, packed with gzip or not, and puts it in the place of the old one when it can be opened; the old one
 * stays otherwise. Returns whether there was a new one. Errors name the host, never the address.
 */
export async function downloadDatabase(download: Download): Promise<boolean> {
  const { kind, url, folder } = download
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const record = await readDownloadRecord(folder, kind)
  const source = sourceOf(url)
  const etag = record?.source === source && download.isThere ? record.etag : null
  const headers: Record<string, string> = etag === null ? {} : { 'if-none-match': etag }
  await using answer = await download.open(url, {
    headers,
    redirects: 3,
    timeoutMs: timeout,
    maxBytes: maxDatabaseBytes,
    signal: download.signal,
  })
  const keep = (tag: string | null) =>
    writeFileAtomic(recordPath(folder, kind), JSON.stringify({ source, etag: tag, checkedAt: download.now }))
  if (answer.status === 304) {
    await keep(etag)
    return false
  }
  if (answer.status !== 200) throw new Error(`${new URL(url).hostname} answered ${answer.status}`)
  const temporary = join(folder, `${kind}.${randomUUID()}.tmp`)
  try {
    await writeBody(answer.body, temporary)
    openDatabaseBytes(await readFile(temporary), kind)
    await rename(temporary, downloadedPath(folder, kind))
  } finally {
    await rm(temporary, { force: true })
  }
  await keep(answer.headers.get('etag')?.slice(0, 1000) ?? null)
  return true
}

/** Throws away what downloads that were cut off by the end of the process left behind. */
export async function clearDownloads(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names.filter((each) => each.endsWith('.tmp'))) await rm(join(folder, name), { force: true })
}

async function writeBody(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const chunks = body[Symbol.asyncIterator]()
  const first = await chunks.next()
  const head = first.done === true ? Buffer.alloc(0) : Buffer.from(first.value)
  async function* whole() {
    yield head
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
  }
  const isPacked = head[0] === 0x1f && head[1] === 0x8b
  const file = createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true })
  await once(file, 'open')
  const source = Readable.from(whole())
  if (isPacked) await pipeline(source, createGunzip(), createSizeLimit(maxDatabaseBytes), file)
  else await pipeline(source, createSizeLimit(maxDatabaseBytes), file)
}

/** Limits the size of unpacked data: it may be a thousand times that of the packed file. */
function createSizeLimit(limit: number): Transform {
  let total = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      total += chunk.length
      if (total > limit) done(new Error('the database is larger than 200 MiB'))
      else done(null, chunk)
    },
  })
}
