import { UserStore, type AnyQuery } from '@hearth/accounts'
import type { UserRow } from './tables.ts'

/** The users of a database, or as a transaction sees them. */
export const usersIn = (query: AnyQuery) => new UserStore<UserRow>(query)
