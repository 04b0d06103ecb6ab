import { takeTurn, type Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import { AccountError } from '../account-error.ts'
import type { AnyQuery } from '../any-query.ts'
import { UserStore } from './store.ts'

/** The turn of transactions that count users. */
const usersTurn = 2

/** Changes users, one change at a time, so that two administrators cannot remove each other at the same moment. */
export function changeUsers<Tables, Result>(
  { kind, query }: Database<Tables>,
  work: (trx: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return query.transaction().execute(async (trx) => {
    await takeTurn(kind, trx, usersTurn)
    return work(trx)
  })
}

/** Throws an `AccountError` when this is the last active administrator; within `changeUsers`, before the user is changed. */
export async function checkLastAdministrator(trx: AnyQuery, id: string): Promise<void> {
  const users = new UserStore(trx)
  const user = await users.find(id)
  const counts = user?.role === 'admin' && user.is_active === 1
  if (counts && (await users.countOtherAdministrators(id)) === 0) throw new AccountError({ kind: 'last-administrator' })
}
