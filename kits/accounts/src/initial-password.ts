import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createPassword, hashPassword } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { writeFileAtomic } from '@hearth/runtime'
import type { Kysely } from 'kysely'

/** A generated password and its hash; it must be changed at the next sign-in. */
export interface GeneratedPassword {
  readonly password: string
  readonly values: { readonly password_hash: string; readonly password_change_required: 1 }
}

export async function generatePassword(): Promise<GeneratedPassword> {
  const password = createPassword()
  return { password, values: { password_hash: await hashPassword(password), password_change_required: 1 } }
}

/** File where the first administrator's generated password waits, mode 0600, until it is changed. */
export const initialPasswordFile = (dataDirectory: string): string => join(dataDirectory, 'initial-admin-password')

/**
 * Makes the first administrator and saves the password. `insert` returns false when another process made the account at the
 * same moment. Returns the password when one was made.
 */
export async function createWithInitialPassword<Tables>(
  { query }: Database<Tables>,
  dataDirectory: string,
  insert: (trx: Kysely<Tables>, values: GeneratedPassword['values']) => Promise<boolean>,
): Promise<string | undefined> {
  const { password, values } = await generatePassword()
  return query.transaction().execute(async (trx) => {
    if (!(await insert(trx, values))) return undefined
    // Written before the commit: a stored password that nobody can read would lock everyone out.
    await writeFileAtomic(initialPasswordFile(dataDirectory), `${password}\n`)
    return password
  })
}

/** The generated password as long as this account must still change it, so that every start can show it. */
export async function pendingInitialPassword(
  dataDirectory: string,
  account: { readonly password_change_required: number } | undefined,
): Promise<string | undefined> {
  const file = initialPasswordFile(dataDirectory)
  if (account?.password_change_required !== 1 || !existsSync(file)) return undefined
  return (await readFile(file, 'utf8')).trim()
}

/** Removes the file: the generated password is of no use once it was changed. */
export async function forgetInitialPassword(dataDirectory: string): Promise<void> {
  await rm(initialPasswordFile(dataDirectory), { force: true })
}
