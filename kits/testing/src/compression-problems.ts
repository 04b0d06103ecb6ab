import { get } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** An answer whose body is as it crossed the wire. */
interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly raw: Buffer
}

/** Sends a GET request. */
type ReadRaw = (path: string, headers: Record<string, string>) => Promise<RawAnswer>

/** Texts shorter than this may travel as they are, bytes. */
const worthwhile = 1024

const decoders = [
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const

/**
 * Reads each path with brotli, with gzip and with neither, and returns a line for each answer that is not in the content
 * coding it was asked for, does not say `Vary: accept-encoding`, or does not decode to the same text.
 */
export async function compressionProblems(read: ReadRaw, paths: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const path of paths) {
    const plain = await read(path, { 'accept-encoding': 'identity' })
    if (plain.status !== 200) faults.push(`${path}: ${plain.status}`)
    for (const [coding, decode] of decoders) {
      const { headers, raw } = await read(path, { 'accept-encoding': coding })
      const found = headers['content-encoding']
      const expected = plain.raw.length < worthwhile ? undefined : coding
      if (found !== expected) faults.push(`${path}: ${coding} was asked for, ${String(found)} came`)
      else if (!(found === undefined ? raw : decode(raw)).equals(plain.raw)) faults.push(`${path}: ${coding} differs`)
      if (headers['vary'] !== 'accept-encoding') faults.push(`${path}: Vary is ${String(headers['vary'])}`)
    }
  }
  return faults
}

/** A reader of a server at an address; `fetch` would decode the bodies. */
export function rawReader(url: string): ReadRaw {
  return (path, headers) =>
    new Promise((resolve, reject) => {
      get(new URL(path, url), { headers }, (answer) => {
        const { statusCode: status = 0, headers: got } = answer
        buffer(answer).then((raw) => resolve({ status, headers: got, raw }), reject)
      }).on('error', reject)
    })
}
