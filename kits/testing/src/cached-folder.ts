import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../../node_modules/.cache/hearth-tests')

/**
 * Returns a folder that takes long to make and is the same every time: the first caller makes it, later ones, in this process
 * or another, find it among the packages' caches. `recipe` names everything the content depends on, versions of programs
 * included. Callers read it and never write to it. A `make` that throws leaves nothing.
 */
export async function cachedFolder(
  recipe: readonly string[],
  make: (folder: string) => void | Promise<void>,
): Promise<string> {
  const name = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 32)
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  const draft = join(cache, `${name}-${randomUUID()}`)
  mkdirSync(draft, { recursive: true })
  try {
    await make(draft)
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Whoever was faster made the same.
    if (!existsSync(folder)) throw error
  }
  return folder
}
