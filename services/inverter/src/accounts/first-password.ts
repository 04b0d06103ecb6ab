import {
  createWithInitialPassword,
  endSessionsOf,
  forgetInitialPassword,
  generatePassword,
  pendingInitialPassword,
} from '@hearth/accounts'
import type { Database } from '@hearth/database'
import type { Tables } from '../database/tables.ts'
import { findAdministrator, insertAdministratorIfNew, updateAdministrator } from './store.ts'

/** The administrator's name. */
export const administrator = 'admin'

/** Makes the administrator with a generated password on the first start; later starts change nothing. */
export async function createAdministrator(database: Database<Tables>, dataDirectory: string): Promise<void> {
  if ((await findAdministrator(database.query, administrator)) !== undefined) return
  await createWithInitialPassword(database, dataDirectory, (trx, values) =>
    insertAdministratorIfNew(trx, { username: administrator, ...values }),
  )
}

/** The generated password as long as it waits to be used, so that every start can show it. */
export async function pendingPassword(database: Database<Tables>, dataDirectory: string): Promise<string | undefined> {
  return pendingInitialPassword(dataDirectory, await findAdministrator(database.query, administrator))
}

/** Gives the administrator a new generated password that must be changed, and ends the sessions. */
export async function resetPassword(database: Database<Tables>, dataDirectory: string): Promise<string> {
  const { password, values } = await generatePassword()
  await database.query.transaction().execute(async (trx) => {
    await updateAdministrator(trx, administrator, values)
    await endSessionsOf(trx, { owner: 'username', id: administrator })
  })
  await forgetInitialPassword(dataDirectory)
  return password
}
