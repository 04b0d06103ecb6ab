import {
  deletePasskeysOf,
  deleteRecoveryCodesOf,
  endSessionsOf,
  forgetAttempts,
  generatePassword,
} from '@hearth/accounts'
import type { Kysely } from 'kysely'
import type { AccountTables } from './tables.ts'
import { endPortalSessionsOf } from './portal-session-store.ts'
import { usersIn } from './users.ts'
import { accountKey, ownPasswordKey } from './sign-in.ts'

/**
 * Gives an administrator a generated password that must be changed at the next sign-in, takes passkeys and recovery codes away
 * and ends the sessions. Undefined when there is no administrator of that name, or none at all.
 */
export async function resetAdministrator(
  db: Kysely<AccountTables>,
  username: string | undefined,
): Promise<{ username: string; password: string } | undefined> {
  const users = usersIn(db)
  const user =
    username === undefined ? await users.findOldestAdministrator() : await users.findByName(username.toLowerCase())
  if (user?.role !== 'admin') return undefined
  const { password, values } = await generatePassword()
  await db.transaction().execute(async (trx) => {
    await usersIn(trx).update(user.id, { ...values, is_active: 1, sites_only: 0 })
    await deletePasskeysOf(trx, user.id)
    await deleteRecoveryCodesOf(trx, user.id)
    await endSessionsOf(trx, { owner: 'user_id', id: user.id })
    await endPortalSessionsOf(trx, user.id)
    // Earlier wrong guesses must not block the new password.
    await forgetAttempts(trx, [accountKey(user.username), ownPasswordKey(user.id)])
  })
  return { username: user.username, password }
}
