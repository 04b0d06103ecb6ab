import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 of a whole file, hexadecimal. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const stream = createReadStream(file, { highWaterMark: 1 << 20, ...(signal === undefined ? {} : { signal }) })
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
