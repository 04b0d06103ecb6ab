import { join } from 'node:path'

/** Returns the path of a list's text in `DATA_DIR/dns`. */
export const textPath = (directory: string, id: string): string => {
  if (!/^[0-9a-z-]{1,64}$/i.test(id)) throw new Error('the id of a list is letters, digits and hyphens')
  return join(directory, 'lists', `${id}.txt`)
}
