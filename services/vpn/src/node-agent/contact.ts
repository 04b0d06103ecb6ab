import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Name of the file whose time is that of the last answer of the service, in the data directory of a node. */
export const contactFileName = 'last-contact'

/** Notes that the service has answered. The file is empty: the disk has no more to write than a time. */
export async function noteContact(directory: string, now: Date): Promise<void> {
  const file = join(directory, contactFileName)
  await utimes(file, now, now).catch(() => writeFile(file, '', { mode: 0o600 }))
}

/** Time of the last answer of the service; undefined when there was none. */
export const lastContact = (directory: string): Promise<Date | undefined> =>
  stat(join(directory, contactFileName)).then(
    ({ mtime }) => mtime,
    () => undefined,
  )
