import { join } from 'node:path'
import { readdir, rm } from 'node:fs/promises'
import type { ListRow } from '../tables.ts'

/** Returns the path of a list's text in `DATA_DIR/dns`. */
export const textPath = (directory: string, id: string): string => {
  if (!/^[0-9a-z-]{1,64}$/i.test(id)) throw new Error('the id of a list is letters, digits and hyphens')
  return join(directory, 'lists', `${id}.txt`)
}

/**
 * Removes what no list owns from the folder of texts: drafts of an update that was cut off, texts of deleted lists. Returns the
 * lists whose text ought to be there and is not, as after a backup was restored, which holds none.
 *
 * @param directory `DATA_DIR/dns`
 */
export async function removeStrayTexts(directory: string, rows: readonly ListRow[]): Promise<ListRow[]> {
  const folder = join(directory, 'lists')
  const files = new Set(await readdir(folder).catch(() => []))
  const owned = new Set(rows.map(({ id }) => `${id}.txt`))
  for (const file of files) if (!owned.has(file)) await rm(join(folder, file), { force: true, recursive: true })
  return rows.filter(({ id, sha256 }) => sha256 !== null && !files.has(`${id}.txt`))
}
