import { open } from 'node:fs/promises'
import { OperatorError } from '@hearth/runtime'

/** Reads a file of at most so many bytes; `-` is standard input. Throws an `OperatorError` that names it. */
export async function readBounded(path: string, largest: number): Promise<Uint8Array> {
  const tooLarge = () => new OperatorError(`${path}: is larger than ${largest} bytes`)
  if (path === '-') {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > largest) throw tooLarge()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
  const file = await open(path).catch((error: unknown) => {
    throw new OperatorError(`${path}: ${(error as Error).message}`, { cause: error })
  })
  try {
    if ((await file.stat()).size > largest) throw tooLarge()
    return await file.readFile()
  } finally {
    await file.close()
  }
}
