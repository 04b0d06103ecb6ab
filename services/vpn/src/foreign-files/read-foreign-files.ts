import type { z } from 'zod'
import { Problem } from '../problems.ts'
import { FileProblem, type GivenFile } from './given-file.ts'
import type { ForeignFiles } from './schema.ts'

/** Reads files that a request brings. Throws a `Problem` that names the file which cannot be used. */
export function readForeignFiles<T>(files: z.infer<typeof ForeignFiles>, read: (files: readonly GivenFile[]) => T): T {
  try {
    return read(files.map(({ name, content }) => ({ name, content: Buffer.from(content, 'base64') })))
  } catch (error) {
    if (error instanceof FileProblem) throw new Problem('invalid', error.message, { details: { file: error.file } })
    throw error
  }
}
