import { readFile } from 'node:fs/promises'
import { OperatorError } from '@hearth/runtime'

/** Reads the API token in the file that `--token-file` names; `-` is standard input. Throws an `OperatorError`. */
export async function readTokenFile(file: string): Promise<string> {
  try {
    return (await readFile(file === '-' ? '/dev/stdin' : file, 'utf8')).trim()
  } catch (error) {
    throw new OperatorError(`--token-file: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
