import { randomUUIDv7 } from 'node:crypto'
import {
  createWithInitialPassword,
  deletePasskeysOf,
  deleteRecoveryCodesOf,
  endSessionsOf,
  forgetInitialPassword,
  generatePassword,
  pendingInitialPassword,
} from '@hearth/accounts'
import type { Database } from '@hearth/database'
import { OperatorError } from '@hearth/runtime'
import type { Tables, UserRow } from '../tables.ts'
import { usersIn } from './users.ts'

/** The account of the first start. */
const firstAdministrator = 'admin'

/**
 * Creates the administrator `admin` with a generated password when no administrator could sign in, and saves the password to
 * its file.
 */
export async function createFirstAdministrator(
  database: Database<Tables>,
  { dataDirectory, now }: { dataDirectory: string; now: number },
): Promise<void> {
  const users = usersIn(database.query)
  if ((await users.countOtherAdministrators('')) > 0) return
  if ((await users.findByName(firstAdministrator)) !== undefined) return
  await createWithInitialPassword(database, dataDirectory, (trx, values) =>
    usersIn(trx).insertIfNew({
      id: randomUUIDv7(),
      username: firstAdministrator,
      email: 'admin@localhost.localdomain',
      role: 'admin',
      is_active: 1,
      created_at: now,
      last_login_at: null,
      last_login_ip: null,
      ...values,
    }),
  )
}

/** The generated password as long as it waits to be used, so that every start can show it. */
export async function pendingFirstPassword(
  database: Database<Tables>,
  dataDirectory: string,
): Promise<string | undefined> {
  return pendingInitialPassword(dataDirectory, await usersIn(database.query).findByName(firstAdministrator))
}

/** Removes the generated password's file when this is the user who changed it. */
export async function forgetFirstPassword(dataDirectory: string, user: UserRow): Promise<void> {
  if (user.username === firstAdministrator) await forgetInitialPassword(dataDirectory)
}

/**
 * Gives an administrator a new generated password that must be changed, takes passkeys and recovery codes away and ends the
 * sessions: of `admin`, or of the oldest administrator when there is none of that name. Returns both.
 */
export async function resetAdministrator(
  database: Database<Tables>,
  dataDirectory: string,
): Promise<{ username: string; password: string }> {
  const users = usersIn(database.query)
  const user = (await users.findByName(firstAdministrator)) ?? (await users.findOldestAdministrator())
  if (user === undefined) throw new OperatorError('there is no administrator; start the service once')
  const { password, values } = await generatePassword()
  await database.query.transaction().execute(async (trx) => {
    await usersIn(trx).update(user.id, { ...values, is_active: 1, role: 'admin' })
    await deletePasskeysOf(trx, user.id)
    await deleteRecoveryCodesOf(trx, user.id)
    await endSessionsOf(trx, { owner: 'user_id', id: user.id })
  })
  await forgetFirstPassword(dataDirectory, user)
  return { username: user.username, password }
}
