import { acquireLock, type Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import { AccountError } from '../account-error.ts'
import type { AnyQuery } from '../any-query.ts'
import { UserStore } from './store.ts'

/** Locks of transactions that count users, and of those that count the sign-in methods of a user. */
const usersLock = 2
const signInMethodsLock = 3

type Work<Tables, Result> = (trx: Kysely<Tables>) => Promise<Result>

/** Changes users, one change at a time, so that two administrators cannot remove each other at the same moment. */
export function changeUsers<Tables, Result>(database: Database<Tables>, work: Work<Tables, Result>): Promise<Result> {
  return withLock(database, usersLock, work)
}

/**
 * Changes how users can sign in, one change at a time, so that the last passkey and the password of a user cannot be removed
 * at the same moment.
 */
export function changeSignInMethods<Tables, Result>(
  database: Database<Tables>,
  work: Work<Tables, Result>,
): Promise<Result> {
  return withLock(database, signInMethodsLock, work)
}

function withLock<Tables, Result>(
  { kind, query }: Database<Tables>,
  lockId: number,
  work: Work<Tables, Result>,
): Promise<Result> {
  return query.transaction().execute(async (trx) => {
    await acquireLock(kind, trx, lockId)
    return work(trx)
  })
}

/** Throws an `AccountError` when this is the last active administrator; within `changeUsers`, before the user is changed. */
export async function checkLastAdministrator(trx: AnyQuery, id: string): Promise<void> {
  if (await isLastAdministrator(trx, id)) throw new AccountError({ kind: 'last-administrator' })
}

/** True for the only active administrator; within `changeUsers`. */
export async function isLastAdministrator(trx: AnyQuery, id: string): Promise<boolean> {
  const users = new UserStore(trx)
  const user = await users.find(id)
  const counts = user?.role === 'admin' && user.is_active === 1
  return counts && (await users.countOtherAdministrators(id)) === 0
}
