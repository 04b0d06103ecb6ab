import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { checkNewPassword, endSessionsOf } from '@hearth/accounts'
import { hashPassword } from '@hearth/credentials'
import { takeTurn, uniqueViolation, type Database } from '@hearth/database'
import { momentOf, type Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'
import { conflict, notFound } from '../problems.ts'
import type { User, UserCreate, UserUpdate } from './schema.ts'
import * as store from './store.ts'

/** The accounts of the service and the rules about them. */
export interface Users {
  list(): Promise<User[]>
  create(input: UserCreate): Promise<User>
  /** The very first account, an administrator; undefined when there is one already. */
  createFirst(input: Pick<UserCreate, 'username' | 'password'>): Promise<UserRow | undefined>
  update(actorId: string, id: string, changes: UserUpdate): Promise<User>
  remove(actorId: string, id: string): Promise<void>
  /** Whether there is any account. Once there is, there always will be. */
  isSetUp(): Promise<boolean>
}

export interface UserParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Hears of users whose sessions ended. */
  readonly onAccessChanged: (userId: string) => void
}

/** The turn of transactions that count accounts. */
const accountTurn = 2

/** A house server has few; the list needs no pages. */
const mostUsers = 200

export function createUsers(parts: UserParts): Users {
  return new StoredUsers(parts)
}

class StoredUsers implements Users {
  readonly #database: Database<Tables>
  readonly #clock: Clock
  readonly #onAccessChanged: (userId: string) => void
  #isSetUp = false

  constructor({ database, clock, onAccessChanged }: UserParts) {
    this.#database = database
    this.#clock = clock
    this.#onAccessChanged = onAccessChanged
  }

  async list(): Promise<User[]> {
    const rows = await store.listUserRows(this.#database.query)
    return this.#describe(rows)
  }

  async create(input: UserCreate): Promise<User> {
    const row = await newUserRow(input, this.#clock.now())
    await this.#inTurn(async (trx) => {
      if ((await store.countUserRows(trx)) >= mostUsers) throw conflict(`There are ${mostUsers} accounts already`)
      await nameTaken(() => store.insertUserRow(trx, row))
    })
    return userOfRow(row, 0)
  }

  async createFirst(input: Pick<UserCreate, 'username' | 'password'>): Promise<UserRow | undefined> {
    const row = await newUserRow({ ...input, role: 'admin' }, this.#clock.now())
    return this.#inTurn(async (trx) => {
      if (await store.hasUserRows(trx)) return undefined
      await store.insertUserRow(trx, row)
      return row
    })
  }

  async update(actorId: string, id: string, changes: UserUpdate): Promise<User> {
    const { password, role, is_active: isActive } = changes
    const row = await this.#find(id)
    if (actorId === id) checkOwnChange(row, changes)
    if (password !== undefined) checkNewPassword(password, [changes.username ?? row.username])
    const values: Partial<UserRow> = {
      ...(changes.username === undefined ? {} : { username: changes.username }),
      ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
      ...(role === undefined ? {} : { role }),
      ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
      ...(changes.password_change_required === undefined
        ? {}
        : { password_change_required: Number(changes.password_change_required) }),
    }
    const endsSessions = password !== undefined || isActive === false || (role !== undefined && role !== row.role)
    await this.#inTurn(async (trx) => {
      if (role === 'user' || isActive === false) await checkLastAdministrator(trx, id)
      await nameTaken(() => store.updateUserRow(trx, id, values))
      if (endsSessions) await endSessionsOf(trx, { owner: 'user_id', id })
    })
    if (endsSessions) this.#onAccessChanged(id)
    const [user] = await this.#describe([await this.#find(id)])
    if (user === undefined) throw notFound('user')
    return user
  }

  async remove(actorId: string, id: string): Promise<void> {
    await this.#find(id)
    if (actorId === id) throw conflict('Your own account cannot be deleted', 'own_account')
    await this.#inTurn(async (trx) => {
      await checkLastAdministrator(trx, id)
      await store.deleteUserRow(trx, id)
    })
    this.#onAccessChanged(id)
  }

  async isSetUp(): Promise<boolean> {
    this.#isSetUp ||= await store.hasUserRows(this.#database.query)
    return this.#isSetUp
  }

  /** Changes of accounts take turns, so that two administrators cannot remove each other at the same moment. */
  #inTurn<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.#database.query.transaction().execute(async (trx) => {
      await takeTurn(this.#database.kind, trx, accountTurn)
      return work(trx)
    })
  }

  async #find(id: string): Promise<UserRow> {
    const row = await store.findUserRow(this.#database.query, id)
    if (row === undefined) throw notFound('user')
    return row
  }

  async #describe(rows: readonly UserRow[]): Promise<User[]> {
    const passkeys = await store.countPasskeysOf(
      this.#database.query,
      rows.map(({ id }) => id),
    )
    return rows.map((row) => userOfRow(row, passkeys.get(row.id) ?? 0))
  }
}

/** A row for a new account; throws when the password is weak. */
async function newUserRow(input: UserCreate, now: number): Promise<UserRow> {
  checkNewPassword(input.password, [input.username])
  return {
    id: randomUUIDv7(),
    username: input.username,
    role: input.role,
    password_hash: await hashPassword(input.password),
    is_active: 1,
    password_change_required: input.password_change_required === true ? 1 : 0,
    user_handle: randomBytes(32).toString('base64url'),
    created_at: now,
    last_login_at: null,
  }
}

/** The wire form of an account; what only the server knows has no place in it. */
function userOfRow(row: UserRow, passkeys: number): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    is_active: row.is_active === 1,
    password_change_required: row.password_change_required === 1,
    has_password: row.password_hash !== null,
    passkeys,
    created_at: new Date(row.created_at).toISOString(),
    last_login_at: momentOf(row.last_login_at),
  }
}

function checkOwnChange(row: UserRow, changes: UserUpdate): void {
  if (changes.role !== undefined && changes.role !== row.role)
    throw conflict('Your own role cannot be changed', 'own_account')
  if (changes.is_active === false) throw conflict('Your own account cannot be disabled', 'own_account')
  if (changes.password !== undefined)
    throw conflict('Your own password is changed by POST /api/session/password', 'own_account')
}

async function checkLastAdministrator(trx: Kysely<Tables>, id: string): Promise<void> {
  const row = await store.findUserRow(trx, id)
  const counts = row?.role === 'admin' && row.is_active === 1
  if (counts && (await store.countOtherAdministrators(trx, id)) === 0)
    throw conflict('This is the last active administrator', 'last_administrator')
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
