import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListRow } from '../database/tables.ts'

/**
 * Removes what no list owns from the folder of texts: drafts of an update that was cut off, texts of deleted lists. Returns the
 * lists whose text ought to be there and is not, as after a backup was restored, which holds none.
 *
 * @param directory `DATA_DIR/dns`
 */
export async function tidyTexts(directory: string, rows: readonly ListRow[]): Promise<ListRow[]> {
  const folder = join(directory, 'lists')
  const files = new Set(await readdir(folder).catch(() => []))
  const owned = new Set(rows.map(({ id }) => `${id}.txt`))
  for (const file of files) if (!owned.has(file)) await rm(join(folder, file), { force: true, recursive: true })
  return rows.filter(({ id, sha256 }) => sha256 !== null && !files.has(`${id}.txt`))
}
