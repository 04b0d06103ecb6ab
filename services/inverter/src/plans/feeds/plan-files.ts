import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** Largest file that is read, bytes. */
const maxBytes = 4 * 1_048_576

/** Reads the first file of the folder `plans` that is there; throws an error that names what is looked for. */
export async function readPlanFile(dataDirectory: string, names: readonly string[]): Promise<string> {
  for (const name of names) {
    const text = await readIfThere(join(dataDirectory, 'plans', name))
    if (text !== undefined) return text
  }
  throw new Error(`there is no ${names.map((name) => `plans/${name}`).join(' or ')} in the data directory`)
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    if (size > maxBytes) throw new Error(`${path} is larger than 4 MiB`)
    return await file.readFile('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
