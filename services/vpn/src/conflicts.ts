import { uniqueViolation } from '@hearth/database'
import { conflict } from './problems.ts'

/**
 * Two changes at the same moment can pass a check together; the unique index then refuses one of them, and this says which
 * member it was. Names that contain another one stand first.
 *
 * @param members columns with a unique index, as the API calls them
 */
export async function namedConflict<T>(what: string, members: readonly string[], write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const columns = uniqueViolation(error)
    const member = members.find((name) => columns?.includes(name) === true)
    if (member === undefined) throw error
    throw conflict(member, `Another ${what} has this ${member.replaceAll('_', ' ')}`)
  }
}
