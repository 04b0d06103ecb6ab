import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { OperatorError } from '@hearth/runtime'
import type { GivenFile } from '../foreign-files/given-file.ts'
import { maxBytes, maxFiles } from '../foreign-files/schema.ts'

/** Reads a text file that a command names; `-` is standard input. */
export function readTextFile(file: string): Promise<string> {
  return readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: Error) => {
    throw new OperatorError(`${file}: cannot be read: ${error.message}`, { cause: error })
  })
}

/** Reads files of another program, and of a folder those that a server can stand in. */
export async function readGivenFiles(paths: readonly string[]): Promise<GivenFile[]> {
  const files = (await Promise.all(paths.map(listFiles))).flat()
  if (files.length === 0) throw new OperatorError(`${paths.join(', ')}: no .conf, .json or .db file is there`)
  if (files.length > maxFiles) throw new OperatorError(`${files.length} files; at most ${maxFiles} at once`)
  const read: GivenFile[] = []
  let bytes = 0
  for (const { path, name } of files) {
    bytes += (await stat(path)).size
    if (bytes > maxBytes)
      throw new OperatorError(`${path}: the files are larger than ${maxBytes / 1_048_576} MiB together`)
    read.push({ name, content: await readFile(path) })
  }
  return read
}

async function listFiles(path: string): Promise<{ path: string; name: string }[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new OperatorError(`${path}: there is no such file`)
  if (!found.isDirectory()) return [{ path, name: basename(path) }]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.(?:conf|json|db)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({ path: file, name: relative(path, file) }))
}
