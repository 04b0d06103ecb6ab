import { open } from 'node:fs/promises'
import { OperatorError } from '@hearth/runtime'

/** Reads a file of at most so many bytes; `-` is standard input. Throws an `OperatorError` that names it. */
export async function readBounded(path: string, largest: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of path === '-' ? process.stdin : await openFile(path)) {
    size += (chunk as Buffer).length
    if (size > largest) throw new OperatorError(`${path}: is larger than ${largest} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

async function openFile(path: string) {
  const file = await open(path).catch((error: unknown) => {
    throw new OperatorError(`${path}: ${(error as Error).message}`, { cause: error })
  })
  return file.createReadStream()
}
