import { uniqueViolation } from '@hearth/database'
import { conflict } from '../problems.ts'

/** Two changes at the same moment can pass the check together; the index then refuses one, and this says which member. */
export async function namedConflict<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const columns = uniqueViolation(error)
    if (columns === undefined) throw error
    const member = ['name', 'ipv6', 'ip', 'public_key'].find((name) => columns.includes(name)) ?? 'name'
    throw conflict(member, `Another peer has this ${member}`)
  }
}
