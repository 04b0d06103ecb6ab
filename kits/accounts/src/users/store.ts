import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import type { Actor } from '../security-log/security-event.ts'

/** Columns that every user has; a service adds its own. Switches are 0 or 1. */
export interface UserRow {
  id: string
  /** In lower case. */
  username: string
  role: 'admin' | 'user'
  /** PHC string; null for a user who signs in another way. */
  password_hash: string | null
  is_active: number
  password_change_required: number
  /** Milliseconds since the epoch. */
  created_at: number
  last_login_at: number | null
}

/** The table `users` of a database, or as a transaction sees it. */
export class UserStore<Row extends UserRow> {
  readonly #db: Kysely<{ users: UserRow }>

  constructor(query: AnyQuery) {
    this.#db = query as Kysely<{ users: UserRow }>
  }

  find(id: string): Promise<Row | undefined> {
    return this.#first(this.#db.selectFrom('users').selectAll().where('id', '=', id))
  }

  findByName(username: string): Promise<Row | undefined> {
    return this.#first(this.#db.selectFrom('users').selectAll().where('username', '=', username))
  }

  /** The user with this name as somebody typed it, for the security log. */
  async findActor(typed: string): Promise<Actor | undefined> {
    const user = await this.findByName(typed.trim().toLowerCase())
    return user && { userId: user.id, username: user.username }
  }

  findOldestAdministrator(): Promise<Row | undefined> {
    const administrators = this.#db.selectFrom('users').selectAll().where('role', '=', 'admin')
    return this.#first(administrators.orderBy('created_at').orderBy('id').limit(1))
  }

  /** Users in the order in which they were made. */
  async list(page?: { limit: number; offset: number }): Promise<Row[]> {
    const all = this.#db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id')
    return (await (page === undefined ? all : all.limit(page.limit).offset(page.offset)).execute()) as Row[]
  }

  async count(): Promise<number> {
    const { count } = await this.#db
      .selectFrom('users')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return count
  }

  /** Counts the active administrators beside this user. */
  async countOtherAdministrators(id: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom('users')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('role', '=', 'admin')
      .where('is_active', '=', 1)
      .where('id', '!=', id)
      .executeTakeFirstOrThrow()
    return count
  }

  async insert(row: Row): Promise<void> {
    await this.#db.insertInto('users').values(row).execute()
  }

  /** False when another process made a user of that name at the same moment. */
  async insertIfNew(row: Row): Promise<boolean> {
    const result = await this.#db
      .insertInto('users')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return Number(result.numInsertedOrUpdatedRows) === 1
  }

  async update(id: string, values: Partial<Omit<Row, 'id'>>): Promise<void> {
    if (Object.keys(values).length === 0) return
    await this.#db
      .updateTable('users')
      .set(values as Partial<UserRow>)
      .where('id', '=', id)
      .execute()
  }

  /** Deletes a user, with everything that belongs to the user, such as sessions and tokens. */
  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('users').where('id', '=', id).execute()
  }

  async #first(query: { executeTakeFirst(): Promise<UserRow | undefined> }): Promise<Row | undefined> {
    return (await query.executeTakeFirst()) as Row | undefined
  }
}
