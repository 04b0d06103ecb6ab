import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endSessionsOf } from '@hearth/accounts'
import { createPassword, hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { writeFileAtomic } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { findAdministrator, insertAdministratorIfNew, updateAdministrator } from './store.ts'

/** The administrator's name. */
export const administrator = 'admin'

/** File with the generated password, mode 0600; it is deleted when the password is changed. */
export const initialPasswordFile = (dataDirectory: string): string => join(dataDirectory, 'initial-admin-password')

/** Makes the administrator with a generated password on the first start; later starts change nothing. */
export async function createAdministrator(database: Database<Tables>, dataDirectory: string): Promise<void> {
  if ((await findAdministrator(database.query, administrator)) !== undefined) return
  const password = createPassword()
  const row = { username: administrator, password_hash: await hashPassword(password), password_change_required: 1 }
  await database.query.transaction().execute(async (trx) => {
    // Before the commit: a password that is in force and nowhere to be read would lock everyone out.
    if (await insertAdministratorIfNew(trx, row)) await savePassword(dataDirectory, password)
  })
}

/** The generated password as long as it waits to be used, so that every start can show it. */
export async function pendingPassword(database: Database<Tables>, dataDirectory: string): Promise<string | undefined> {
  const file = initialPasswordFile(dataDirectory)
  const row = await findAdministrator(database.query, administrator)
  if (row?.password_change_required !== 1 || !existsSync(file)) return undefined
  return (await readFile(file, 'utf8')).trim()
}

/** The generated password is of no use once it was changed. */
export async function forgetPassword(dataDirectory: string): Promise<void> {
  await rm(initialPasswordFile(dataDirectory), { force: true })
}

/** Gives the administrator a new generated password that must be changed, and ends the sessions. */
export async function resetPassword(database: Database<Tables>, dataDirectory: string): Promise<string> {
  const password = createPassword()
  const values = { password_hash: await hashPassword(password), password_change_required: 1 }
  await database.query.transaction().execute(async (trx) => {
    await updateAdministrator(trx, administrator, values)
    await endSessionsOf(trx, { owner: 'username', id: administrator })
  })
  await forgetPassword(dataDirectory)
  return password
}

async function savePassword(dataDirectory: string, password: string): Promise<void> {
  await writeFileAtomic(initialPasswordFile(dataDirectory), `${password}\n`)
}
