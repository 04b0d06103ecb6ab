import { randomUUIDv7 } from 'node:crypto'
import { hashPassword, passwordWeakness, verifyPassword } from '@hearth/credentials'
import type { Database, Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { namedConflict } from '../conflicts.ts'
import type { Tables, UserRow } from '../database/tables.ts'
import { badRequest, conflict, forbidden, invalidField, notFound } from '../problems.ts'
import type { Role, User, UserCreate, UserUpdate } from './schema.ts'
import * as store from './store.ts'

/** Who asks for a change; the rules differ for one's own record. */
export interface Actor {
  readonly userId: string
  readonly role: Role
}

/** The accounts of the service and the rules about them. */
export interface Users {
  list(page: { limit: number; offset: number }): Promise<Page<User>>
  /** One account, for an administrator or its owner. */
  get(actor: Actor, id: string): Promise<User>
  create(input: UserCreate): Promise<User>
  update(actor: Actor, id: string, changes: UserUpdate): Promise<User>
  remove(actor: Actor, id: string): Promise<User>
}

/** What the accounts need; `onAccessChanged` hears of users whose open connections must end. */
export interface UserParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly onAccessChanged?: (userId: string) => void
}

/** What no two users share. */
const uniqueMembers = ['username', 'email']

export function createUsers(parts: UserParts): Users {
  return new StoredUsers(parts)
}

class StoredUsers implements Users {
  readonly #db: Kysely<Tables>
  readonly #clock: Clock
  readonly #onAccessChanged: (userId: string) => void

  constructor({ database, clock, onAccessChanged = () => undefined }: UserParts) {
    this.#db = database.query
    this.#clock = clock
    this.#onAccessChanged = onAccessChanged
  }

  async list(page: { limit: number; offset: number }): Promise<Page<User>> {
    const { rows, total } = await store.listUserRows(this.#db, page)
    return { rows: rows.map(userOfRow), total }
  }

  async get(actor: Actor, id: string): Promise<User> {
    checkOwn(actor, id)
    return userOfRow(await this.#find(id))
  }

  async create(input: UserCreate): Promise<User> {
    const row = await newUserRow(input, this.#clock.now())
    await namedConflict('user', uniqueMembers, () => store.insertUserRow(this.#db, row))
    return userOfRow(row)
  }

  async update(actor: Actor, id: string, changes: UserUpdate): Promise<User> {
    checkOwn(actor, id)
    const row = await this.#find(id)
    const values = await changedValues(actor, row, changes)
    await this.#db.transaction().execute((trx) => applyUpdate(trx, row, values))
    if (losesAccess(values)) this.#onAccessChanged(id)
    return userOfRow({ ...row, ...values })
  }

  async remove(actor: Actor, id: string): Promise<User> {
    const row = await this.#find(id)
    if (actor.userId === id) throw badRequest('You cannot delete your own account')
    await this.#db.transaction().execute(async (trx) => {
      await checkLastAdministrator(trx, row)
      await store.deleteUserRow(trx, id)
    })
    this.#onAccessChanged(id)
    return userOfRow(row)
  }

  async #find(id: string): Promise<UserRow> {
    const row = await store.findUserRow(this.#db, id)
    if (row === undefined) throw notFound(`user ${id}`)
    return row
  }
}

/** The wire form of an account; the password hash has no place in it. */
export function userOfRow(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    role: row.role,
    is_active: row.is_active === 1,
    password_change_required: row.password_change_required === 1,
    created_at: new Date(row.created_at).toISOString(),
    last_login_at: row.last_login_at === null ? null : new Date(row.last_login_at).toISOString(),
    last_login_ip: row.last_login_ip,
  }
}

/** A row for a new account; throws when the password is weak. */
export async function newUserRow(input: UserCreate, now: number): Promise<UserRow> {
  checkPassword(input.password, [input.username, input.email])
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

/** Refuses a new password that is weak, by the name of the member it came in. */
export function checkPassword(password: string, names: readonly string[], member = 'password'): void {
  const weakness = passwordWeakness(password, names)
  if (weakness !== undefined) throw invalidField(member, weakness, 'weak_password')
}

function checkOwn(actor: Actor, id: string): void {
  if (actor.role !== 'admin' && actor.userId !== id)
    throw forbidden('Insufficient permissions: this is another user’s account')
}

async function changedValues(actor: Actor, row: UserRow, changes: UserUpdate): Promise<Partial<UserRow>> {
  const isSelf = actor.userId === row.id
  if (actor.role !== 'admin' && (changes.role !== undefined || changes.is_active !== undefined)) {
    throw forbidden('Insufficient permissions: only administrators change roles and activation')
  }
  if (isSelf && changes.role !== undefined && changes.role !== row.role)
    throw badRequest('You cannot change your own role')
  if (isSelf && changes.is_active === false) throw badRequest('You cannot deactivate your own account')
  const values: Partial<UserRow> = {}
  if (changes.username !== undefined) values.username = changes.username
  if (changes.email !== undefined) values.email = changes.email
  if (changes.role !== undefined) values.role = changes.role
  if (changes.is_active !== undefined) values.is_active = changes.is_active ? 1 : 0
  if (changes.password !== undefined) Object.assign(values, await newPassword(row, changes, isSelf))
  return values
}

async function newPassword(row: UserRow, changes: UserUpdate, isSelf: boolean): Promise<Partial<UserRow>> {
  const password = changes.password ?? ''
  if (isSelf && !(await verifyPassword(changes.current_password ?? '', row.password_hash))) {
    throw invalidField('current_password', 'is needed to change your own password, and is not right', 'wrong_password')
  }
  checkPassword(password, [changes.username ?? row.username, changes.email ?? row.email])
  return { password_hash: await hashPassword(password), password_change_required: isSelf ? 0 : 1 }
}

function losesAccess(values: Partial<UserRow>): boolean {
  return values.password_hash !== undefined || values.role !== undefined || values.is_active === 0
}

async function applyUpdate(trx: Kysely<Tables>, row: UserRow, values: Partial<UserRow>): Promise<void> {
  const demoted = (values.role !== undefined && values.role !== 'admin') || values.is_active === 0
  if (demoted) await checkLastAdministrator(trx, row)
  if (Object.keys(values).length > 0)
    await namedConflict('user', uniqueMembers, () => store.updateUserRow(trx, row.id, values))
  if (losesAccess(values)) await store.deleteSessionsOfUser(trx, row.id)
}

async function checkLastAdministrator(trx: Kysely<Tables>, row: UserRow): Promise<void> {
  const counts = row.role === 'admin' && row.is_active === 1
  if (counts && (await store.countOtherAdministrators(trx, row.id)) === 0) {
    throw conflict('role', 'This is the last active administrator')
  }
}
