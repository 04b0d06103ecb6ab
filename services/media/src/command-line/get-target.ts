import { randomUUID } from 'node:crypto'
import { constants, createWriteStream } from 'node:fs'
import { access, link, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '@hearth/runtime'
import type { RemoteFile } from './remote.ts'

/** Place for a file that is fetched. */
export interface Target {
  /** Writes the file whole or not at all, and returns its path; undefined for what is no file, as standard output. */
  write(file: RemoteFile, signal: AbortSignal): Promise<string | undefined>
}

/**
 * Looks at what `--output` names before anything is fetched: a folder, which gets the file under its own name and keeps what is
 * there; a file, which is replaced; something else, as a pipe, which is written to; or `-`. Throws an `OperatorError` when it
 * cannot be written.
 */
export async function openTarget(output: string): Promise<Target> {
  if (output === '-') return { write: (file, signal) => pour(file, process.stdout, signal) }
  const facts = await stat(output).catch(() => undefined)
  if (facts?.isDirectory() === true) {
    await checkFolder(output, output)
    return {
      write: (file, signal) =>
        writeWhole(file, signal, { folder: output, place: (part) => keep(part, output, file.name) }),
    }
  }
  if (facts !== undefined && !facts.isFile())
    return { write: (file, signal) => pour(file, createWriteStream(output), signal) }
  // A link stays one: the file it leads to is replaced.
  const path = facts === undefined ? output : await realpath(output)
  const folder = dirname(path)
  await checkFolder(folder, output)
  return { write: (file, signal) => writeWhole(file, signal, { folder, place: (part) => replace(part, path, output) }) }
}

async function checkFolder(folder: string, output: string): Promise<void> {
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw cannotWrite(output, error)
  })
}

const cannotWrite = (output: string, error: unknown) =>
  new OperatorError(`--output: ${output} cannot be written: ${(error as Error).message}`, { cause: error })

async function pour({ content }: RemoteFile, to: Writable, signal: AbortSignal): Promise<undefined> {
  await pipeline(sourceOf(content), to, { signal, end: to !== process.stdout })
}

async function writeWhole(
  { content }: RemoteFile,
  signal: AbortSignal,
  { folder, place }: { folder: string; place: (part: string) => Promise<string> },
): Promise<string> {
  const part = join(folder, `.${randomUUID()}.part`)
  try {
    await pipeline(sourceOf(content), createWriteStream(part, { flags: 'wx' }), { signal })
    return await place(part)
  } catch (error) {
    if (signal.aborted || error instanceof OperatorError) throw error
    throw cannotWrite(folder, error)
  } finally {
    await rm(part, { force: true })
  }
}

async function replace(part: string, path: string, output: string): Promise<string> {
  await rename(part, path)
  return output
}

/** Puts the file into a folder; a file that is there already keeps its name, and this one gets a number. */
async function keep(part: string, folder: string, name: string): Promise<string> {
  const extension = extname(name)
  const base = name.slice(0, name.length - extension.length)
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : `${base} (${number})${extension}`)
    try {
      await link(part, path)
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** What is fetched as a stream, whose failure says that it was the transfer that broke off. */
function sourceOf(content: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const source = Readable.fromWeb(content as never)
  return (async function* () {
    try {
      for await (const chunk of source) yield chunk as Uint8Array
    } catch (error) {
      throw new OperatorError(`the transfer broke off: ${(error as Error).message}`, { cause: error })
    }
  })()
}
