import { randomUUIDv7 } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endSessionsOf } from '@hearth/accounts'
import { createPassword, hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { OperatorError, writeFileAtomic } from '@hearth/runtime'
import type { Tables, UserRow } from '../database/tables.ts'
import {
  countOtherAdministrators,
  findOldestAdministrator,
  findUserRowByName,
  insertUserRowIfNew,
  updateUserRow,
} from './store.ts'

/** The account of the first start. */
export const firstAdministrator = 'admin'

/** Where the generated password waits, mode 0600, until it is changed. */
export const initialPasswordFile = (dataDirectory: string): string => join(dataDirectory, 'initial-admin-password')

/**
 * Makes the administrator `admin` with a generated password when nobody could sign in as administrator, and saves the
 * password for its owner. Returns the password when one was made.
 */
export async function createFirstAdministrator(
  database: Database<Tables>,
  options: { dataDirectory: string; now: number },
): Promise<string | undefined> {
  const db = database.query
  if ((await countOtherAdministrators(db, '')) > 0) return undefined
  if ((await findUserRowByName(db, firstAdministrator)) !== undefined) return undefined
  const password = createPassword()
  const row: UserRow = {
    id: randomUUIDv7(),
    username: firstAdministrator,
    email: 'admin@localhost.localdomain',
    role: 'admin',
    password_hash: await hashPassword(password),
    is_active: 1,
    password_change_required: 1,
    created_at: options.now,
    last_login_at: null,
    last_login_ip: null,
  }
  return db.transaction().execute(async (trx) => {
    const inserted = await insertUserRowIfNew(trx, row)
    if (!inserted) return undefined
    // Before the commit: a password that is in force and nowhere to be read would lock everyone out.
    await writeFileAtomic(initialPasswordFile(options.dataDirectory), `${password}\n`)
    return password
  })
}

/** The generated password as long as it waits to be used, so that every start can show it. */
export async function pendingInitialPassword(
  database: Database<Tables>,
  dataDirectory: string,
): Promise<string | undefined> {
  const file = initialPasswordFile(dataDirectory)
  const user = await findUserRowByName(database.query, firstAdministrator)
  if (user?.password_change_required !== 1 || !existsSync(file)) return undefined
  return (await readFile(file, 'utf8')).trim()
}

/** The generated password is of no use once it was changed. */
export async function forgetInitialPassword(dataDirectory: string, user: UserRow): Promise<void> {
  if (user.username === firstAdministrator) await rm(initialPasswordFile(dataDirectory), { force: true })
}

/**
 * Gives an administrator a new generated password that must be changed, and ends the sessions: `admin`, or the oldest
 * administrator when there is none of that name. Returns both.
 */
export async function resetAdministrator(
  database: Database<Tables>,
  dataDirectory: string,
): Promise<{ username: string; password: string }> {
  const db = database.query
  const user = (await findUserRowByName(db, firstAdministrator)) ?? (await findOldestAdministrator(db))
  if (user === undefined) throw new OperatorError('there is no administrator; start the service once')
  const password = createPassword()
  const values = {
    password_hash: await hashPassword(password),
    password_change_required: 1,
    is_active: 1,
    role: 'admin' as const,
  }
  await db.transaction().execute(async (trx) => {
    await updateUserRow(trx, user.id, values)
    await endSessionsOf(trx, { owner: 'user_id', id: user.id })
  })
  await forgetInitialPassword(dataDirectory, user)
  return { username: user.username, password }
}
