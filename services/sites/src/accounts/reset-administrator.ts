import { endSessionsOf, forgetAttempts } from '@hearth/accounts'
import { createPassword, hashPassword } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { replaceRecoveryCodes } from './recovery-store.ts'
import { accountKey, ownPasswordKey } from './sign-in.ts'
import { deletePasskeysOfUser, findOldestAdministrator, findUserRowByName, updateUserRow } from './store.ts'

/**
 * Gives an administrator a generated password that must be changed at the next sign-in, takes passkeys and recovery codes away
 * and ends the sessions. Undefined when there is no administrator of that name, or none at all.
 */
export async function resetAdministrator(
  db: Kysely<Tables>,
  username: string | undefined,
): Promise<{ username: string; password: string } | undefined> {
  const user =
    username === undefined ? await findOldestAdministrator(db) : await findUserRowByName(db, username.toLowerCase())
  if (user?.role !== 'admin') return undefined
  const password = createPassword()
  const values = { password_hash: await hashPassword(password), password_change_required: 1, is_active: 1 }
  await db.transaction().execute(async (trx) => {
    await updateUserRow(trx, user.id, values)
    await deletePasskeysOfUser(trx, user.id)
    await replaceRecoveryCodes(trx, user.id, [])
    await endSessionsOf(trx, { owner: 'user_id', id: user.id })
    // Whoever guessed before must not keep the right password out.
    await forgetAttempts(trx, [accountKey(user.username), ownPasswordKey(user.id)])
  })
  return { username: user.username, password }
}
