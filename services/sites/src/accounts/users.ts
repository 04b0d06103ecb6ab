import { randomBytes, randomUUIDv7 } from 'node:crypto'
import {
  changeUsers,
  checkLastAdministrator,
  checkNewPassword,
  countPasskeysOf,
  endSessionsOf,
  listOpenIdUserIds,
  UserStore,
  type AnyQuery,
} from '@hearth/accounts'
import { hashPassword } from '@hearth/credentials'
import { uniqueViolation, type Database } from '@hearth/database'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { AccountTables, UserRow } from './tables.ts'
import { conflict, invalidField, notFound } from '../problems.ts'
import { endPortalSessionsOf } from './portal-session-store.ts'
import type { User, UserCreate, UserUpdate } from './schema.ts'

export interface UserDependencies {
  readonly database: Database<AccountTables>
  readonly clock: Clock
  /** Called with each user whose sessions ended. */
  readonly onAccessChanged: (userId: string) => void
  /** Called after each change of a user, and awaited: whatever knows the users learns of it before the answer. */
  readonly onChanged: () => Promise<void>
}

/** Returns the users of a database, or as a transaction sees them. */
export const usersIn = (query: AnyQuery) => new UserStore<UserRow>(query)

/** Most users that there may be. There are few, so the list has no pages. */
export const maxUsers = 200

/** The users of the service and the rules about them. */
export class Users {
  readonly #database: Database<AccountTables>
  readonly #clock: Clock
  readonly #onAccessChanged: (userId: string) => void
  readonly #onChanged: () => Promise<void>
  #isSetUp = false

  constructor({ database, clock, onAccessChanged, onChanged }: UserDependencies) {
    this.#database = database
    this.#clock = clock
    this.#onAccessChanged = onAccessChanged
    this.#onChanged = onChanged
  }

  async list(): Promise<User[]> {
    return this.#describe(await usersIn(this.#database.query).list())
  }

  async create(input: UserCreate): Promise<User> {
    const row = await newUserRow(input, this.#clock.now())
    await changeUsers(this.#database, async (trx) => {
      if ((await usersIn(trx).count()) >= maxUsers) throw conflict(`There are ${maxUsers} accounts already`)
      await nameTaken(() => usersIn(trx).insert(row))
    })
    await this.#onChanged()
    return userOfRow(row, { passkeys: 0, hasOpenId: false })
  }

  /** The very first user, an administrator; undefined when there is one already. */
  async createFirst(input: Pick<UserCreate, 'username' | 'password'>): Promise<UserRow | undefined> {
    const row = await newUserRow({ ...input, email: null, role: 'admin', sites_only: false }, this.#clock.now())
    return changeUsers(this.#database, async (trx) => {
      if ((await usersIn(trx).count()) > 0) return undefined
      await usersIn(trx).insert(row)
      return row
    })
  }

  async update(actorId: string, id: string, changes: UserUpdate): Promise<User> {
    const { password, role, is_active: isActive } = changes
    const row = await this.#find(id)
    if (actorId === id) checkOwnChange(row, changes)
    if (password !== undefined) checkNewPassword(password, [changes.username ?? row.username])
    const values: Partial<UserRow> = {
      ...(changes.sites_only === undefined ? {} : { sites_only: Number(changes.sites_only) }),
      ...(changes.username === undefined ? {} : { username: changes.username }),
      ...(changes.email === undefined ? {} : { email: changes.email }),
      ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
      ...(role === undefined ? {} : { role }),
      ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
      ...(changes.password_change_required === undefined
        ? {}
        : { password_change_required: Number(changes.password_change_required) }),
    }
    const endsSessions = await changeUsers(this.#database, async (trx) => {
      // Somebody else may have changed the user since.
      const before = await usersIn(trx).find(id)
      if (before === undefined) throw notFound('user')
      const after = { ...before, ...values }
      checkSitesOnly({ role: after.role, sites_only: after.sites_only === 1 })
      const hasOtherRights = after.role !== before.role || after.sites_only !== before.sites_only
      const isEnding = password !== undefined || isActive === false || hasOtherRights
      if (role === 'user' || isActive === false) await checkLastAdministrator(trx, id)
      await nameTaken(() => usersIn(trx).update(id, values))
      if (!isEnding) return false
      await endSessionsOf(trx, { owner: 'user_id', id })
      await endPortalSessionsOf(trx, id)
      return true
    })
    await this.#onChanged()
    if (endsSessions) this.#onAccessChanged(id)
    const [user] = await this.#describe([await this.#find(id)])
    if (user === undefined) throw notFound('user')
    return user
  }

  /** Deletes a user, and returns who it was. */
  async remove(actorId: string, id: string): Promise<UserRow> {
    const user = await this.#find(id)
    if (actorId === id) throw conflict('Your own account cannot be deleted', 'own_account')
    await changeUsers(this.#database, async (trx) => {
      await checkLastAdministrator(trx, id)
      await usersIn(trx).delete(id)
    })
    await this.#onChanged()
    this.#onAccessChanged(id)
    return user
  }

  /** Returns true when there is any user. Once there is, there always will be. */
  async isSetUp(): Promise<boolean> {
    this.#isSetUp ||= (await usersIn(this.#database.query).count()) > 0
    return this.#isSetUp
  }

  async #find(id: string): Promise<UserRow> {
    const row = await usersIn(this.#database.query).find(id)
    if (row === undefined) throw notFound('user')
    return row
  }

  async #describe(rows: readonly UserRow[]): Promise<User[]> {
    const passkeys = await countPasskeysOf(
      this.#database.query,
      rows.map(({ id }) => id),
    )
    const people = await listOpenIdUserIds(this.#database.query)
    return rows.map((row) => userOfRow(row, { passkeys: passkeys.get(row.id) ?? 0, hasOpenId: people.has(row.id) }))
  }
}

/** A row for a new account; throws when the password is weak. */
async function newUserRow(input: UserCreate, now: number): Promise<UserRow> {
  checkNewPassword(input.password, [input.username])
  checkSitesOnly(input)
  return {
    id: randomUUIDv7(),
    username: input.username,
    role: input.role,
    password_hash: await hashPassword(input.password),
    is_active: 1,
    password_change_required: input.password_change_required === true ? 1 : 0,
    user_handle: randomBytes(32).toString('base64url'),
    email: input.email,
    sites_only: Number(input.sites_only),
    created_at: now,
    last_login_at: null,
  }
}

/** The wire form of an account, without server-side data. */
function userOfRow(row: UserRow, { passkeys, hasOpenId }: { passkeys: number; hasOpenId: boolean }): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    role: row.role,
    sites_only: row.sites_only === 1,
    is_active: row.is_active === 1,
    password_change_required: row.password_change_required === 1,
    has_password: row.password_hash !== null,
    has_openid: hasOpenId,
    passkeys,
    created_at: new Date(row.created_at).toISOString(),
    last_login_at: toIsoString(row.last_login_at),
  }
}

function checkSitesOnly({ role, sites_only: sitesOnly }: Pick<UserCreate, 'role' | 'sites_only'>): void {
  if (sitesOnly && role === 'admin') throw invalidField('sites_only', 'is not possible for an administrator')
}

function checkOwnChange(row: UserRow, changes: UserUpdate): void {
  if (changes.sites_only === true) throw conflict('Your own account cannot be for sites only', 'own_account')
  if (changes.role !== undefined && changes.role !== row.role)
    throw conflict('Your own role cannot be changed', 'own_account')
  if (changes.is_active === false) throw conflict('Your own account cannot be disabled', 'own_account')
  if (changes.password !== undefined)
    throw conflict('Your own password is changed by POST /api/session/password', 'own_account')
}

async function nameTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (uniqueViolation(error)?.includes('username') === true)
      throw conflict('Another user has this name', 'username_taken')
    throw error
  }
}
