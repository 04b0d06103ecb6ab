import { randomUUIDv7 } from 'node:crypto'
import {
  type AnyQuery,
  changeUsers,
  checkLastAdministrator,
  checkNewPassword,
  countPasskeysOf,
  createThrottle,
  endSessionsOf,
  isPasswordOf,
  listOpenIdUserIds,
  slidingWindow,
  type Throttle,
  UserStore,
} from '@hearth/accounts'
import { hashPassword } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Caller } from '../access.ts'
import { badRequest, forbidden, invalidField, namedConflict, notFound } from '../problems.ts'
import type { Tables, UserRow } from '../tables.ts'
import type { ListedUser, User, UserCreate, UserUpdate } from './schema.ts'

/** The user who makes a change; the rules differ for the own account. */
type Actor = Pick<Caller, 'userId' | 'role'>

/** Dependencies of `Users`; `onAccessChanged` is called with users whose open connections must end. */
export interface UserDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly onAccessChanged?: (userId: string) => void
}

/** Members that are unique among users. */
const uniqueMembers = ['username', 'email']

/** The users of the service and the rules about them. */
export class Users {
  readonly #dependencies: UserDependencies
  readonly #db: Kysely<Tables>
  /** Wrong guesses of the own password, as at sign-in. */
  readonly #throttle: Throttle

  constructor(dependencies: UserDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
    this.#throttle = createThrottle(slidingWindow(5, 900), dependencies.clock)
  }

  async list(page: { limit: number; offset: number }): Promise<Page<ListedUser>> {
    const users = usersIn(this.#db)
    const rows = await users.list(page)
    const ids = rows.map(({ id }) => id)
    const [passkeys, people] = await Promise.all([countPasskeysOf(this.#db, ids), listOpenIdUserIds(this.#db)])
    return {
      rows: rows.map((row) =>
        listedUserOf(row, { hasOpenId: people.has(row.id), passkeys: passkeys.get(row.id) ?? 0 }),
      ),
      total: await users.count(),
    }
  }

  /** One user, for an administrator or themselves. */
  async get(actor: Actor, id: string): Promise<User> {
    checkOwn(actor, id)
    return userOfRow(await this.#find(id))
  }

  async create(input: UserCreate): Promise<User> {
    const row = await newUserRow(input, this.#dependencies.clock.now())
    await namedConflict('user', uniqueMembers, () => usersIn(this.#db).insert(row))
    return userOfRow(row)
  }

  async update(actor: Actor, id: string, changes: UserUpdate): Promise<User> {
    checkOwn(actor, id)
    const row = await this.#find(id)
    const values = await changedValues({ actor, row, changes, verifyOwn: (guess) => this.#verifyOwn(row, guess) })
    await changeUsers(this.#dependencies.database, (trx) => applyUpdate(trx, row, values))
    if (losesAccess(values)) this.#dependencies.onAccessChanged?.(id)
    return userOfRow({ ...row, ...values })
  }

  async remove(actor: Actor, id: string): Promise<User> {
    const row = await this.#find(id)
    if (actor.userId === id) throw badRequest('You cannot delete your own account')
    await changeUsers(this.#dependencies.database, async (trx) => {
      await checkLastAdministrator(trx, id)
      await usersIn(trx).delete(id)
    })
    this.#dependencies.onAccessChanged?.(id)
    return userOfRow(row)
  }

  async #verifyOwn(row: UserRow, guess: string): Promise<boolean> {
    await this.#throttle.attempt(row.id)
    const isRight = await isPasswordOf(row, guess)
    if (isRight) await this.#throttle.succeed(row.id)
    return isRight
  }

  async #find(id: string): Promise<UserRow> {
    const row = await usersIn(this.#db).find(id)
    if (row === undefined) throw notFound(`user ${id}`)
    return row
  }
}

/** The wire form of an account; the password hash is never part of it. */
export function userOfRow(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    role: row.role,
    is_active: row.is_active === 1,
    password_change_required: row.password_change_required === 1,
    created_at: new Date(row.created_at).toISOString(),
    last_login_at: toIsoString(row.last_login_at),
    last_login_ip: row.last_login_ip,
  }
}

function listedUserOf(row: UserRow, { hasOpenId, passkeys }: { hasOpenId: boolean; passkeys: number }): ListedUser {
  return { ...userOfRow(row), has_openid: hasOpenId, passkeys }
}

/** A row for a new account; throws when the password is weak. */
export async function newUserRow(input: UserCreate, now: number): Promise<UserRow> {
  checkNewPassword(input.password, [input.username, input.email])
  return {
    id: randomUUIDv7(),
    username: input.username,
    email: input.email,
    role: input.role,
    password_hash: await hashPassword(input.password),
    is_active: input.is_active === false ? 0 : 1,
    password_change_required: input.password_change_required === true ? 1 : 0,
    created_at: now,
    last_login_at: null,
    last_login_ip: null,
  }
}

function checkOwn(actor: Actor, id: string): void {
  if (actor.role !== 'admin' && actor.userId !== id)
    throw forbidden('Insufficient permissions: this is another user’s account')
}

/** A change with the account it is of. */
interface AccountChange {
  readonly actor: Actor
  readonly row: UserRow
  readonly changes: UserUpdate
  /** Returns true if a text is the account's current password. */
  readonly verifyOwn: (guess: string) => Promise<boolean>
}

async function changedValues(change: AccountChange): Promise<Partial<UserRow>> {
  const { actor, row, changes } = change
  const isSelf = actor.userId === row.id
  // A member that repeats what is stored changes nothing and needs no permission.
  const role = changes.role === row.role ? undefined : changes.role
  const isActive = changes.is_active === (row.is_active === 1) ? undefined : changes.is_active
  if (
    actor.role !== 'admin' &&
    (role !== undefined || isActive !== undefined || changes.password_change_required === true)
  ) {
    throw forbidden('Insufficient permissions: only administrators change roles and activation')
  }
  if (isSelf && role !== undefined) throw badRequest('You cannot change your own role')
  if (isSelf && isActive === false) throw badRequest('You cannot deactivate your own account')
  const values: Partial<UserRow> = {}
  if (changes.username !== undefined) values.username = changes.username
  if (changes.email !== undefined) values.email = changes.email
  if (role !== undefined) values.role = role
  if (isActive !== undefined) values.is_active = Number(isActive)
  if (changes.password !== undefined) Object.assign(values, await newPassword(change, isSelf))
  if (changes.password_change_required !== undefined)
    values.password_change_required = Number(changes.password_change_required)
  return values
}

async function newPassword({ row, changes, verifyOwn }: AccountChange, isSelf: boolean): Promise<Partial<UserRow>> {
  const password = changes.password ?? ''
  if (isSelf && !(await verifyOwn(changes.current_password ?? ''))) {
    throw invalidField('current_password', 'is needed to change your own password, and is not right', 'wrong_password')
  }
  checkNewPassword(password, [changes.username ?? row.username, changes.email ?? row.email])
  return { password_hash: await hashPassword(password), ...(isSelf ? { password_change_required: 0 } : {}) }
}

function losesAccess(values: Partial<UserRow>): boolean {
  return values.password_hash !== undefined || values.role !== undefined || values.is_active === 0
}

async function applyUpdate(trx: Kysely<Tables>, row: UserRow, values: Partial<UserRow>): Promise<void> {
  const isDemoted = (values.role !== undefined && values.role !== 'admin') || values.is_active === 0
  if (isDemoted) await checkLastAdministrator(trx, row.id)
  await namedConflict('user', uniqueMembers, () => usersIn(trx).update(row.id, values))
  if (losesAccess(values)) await endSessionsOf(trx, { owner: 'user_id', id: row.id })
}

/** The users of a database, or as a transaction sees them. */
export const usersIn = (query: AnyQuery) => new UserStore<UserRow>(query)
