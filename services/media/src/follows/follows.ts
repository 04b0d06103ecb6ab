import { randomUUID } from 'node:crypto'
import { acquireLock, type Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { MediaBus } from '../events.ts'
import { jobTimestamp } from '../jobs/job-view.ts'
import { lockIntake } from '../intake/intake.ts'
import type { Lists } from '../lists/lists.ts'
import { conflict, notFound } from '../problems.ts'
import type { FollowedListRow, Tables } from '../tables.ts'
import type { Follow, FollowChange, FollowCreate } from './schema.ts'
import * as store from './store.ts'

export interface FollowDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly clock: Clock
  readonly lists: Pick<Lists, 'readUrl'>
  /** Starts the checks that are due. */
  readonly wake: () => void
}

const maxFollows = 100
/** Number of the lock under which lists are added on PostgreSQL. */
const followLock = 8_103_015

/** Followed playlists and channels. Throws problems of the API. */
export class Follows {
  readonly #dependencies: FollowDependencies

  constructor(dependencies: FollowDependencies) {
    this.#dependencies = dependencies
  }

  async list(): Promise<Follow[]> {
    const now = this.#dependencies.clock.now()
    return (await store.listFollows(this.#db)).map((row) => viewOf(row, now))
  }

  /** Follows a list; it is checked at once. */
  async create({ url, newer_than, takes_present, ...values }: FollowCreate): Promise<Follow> {
    const { database, clock, lists } = this.#dependencies
    const list = lists.readUrl(url)
    const now = clock.now()
    const row: FollowedListRow = {
      ...values,
      id: randomUUID(),
      list_key: list.key,
      url: list.url,
      platform: list.platform,
      title: null,
      newer_than: dayStart(newer_than),
      takes_present: takes_present ? 1 : 0,
      is_enabled: 1,
      is_begun: 0,
      next_at: now,
      lease_until: null,
      failures: 0,
      checked_at: null,
      error_code: null,
      message: null,
      created_at: now,
    }
    await database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, followLock)
      const present = await store.listFollows(trx)
      if (present.some(({ list_key, type }) => list_key === row.list_key && type === row.type))
        throw conflict('This list is followed already', 'list_followed')
      if (present.length >= maxFollows) throw conflict(`${maxFollows} lists are followed; delete one first`)
      await store.insertFollow(trx, row)
    })
    this.#changed()
    return viewOf({ ...row, known: 0 }, now)
  }

  async change(id: string, { newer_than, is_enabled, ...values }: FollowChange): Promise<Follow> {
    if (Object.keys(values).length === 0 && newer_than === undefined && is_enabled === undefined) return this.#find(id)
    const { every_minutes: every } = values
    const isChanged = await this.#db.transaction().execute(async (trx) => {
      const isThere = await store.updateFollow(trx, id, {
        ...values,
        ...(newer_than === undefined ? {} : { newer_than: dayStart(newer_than) }),
        ...(is_enabled === undefined ? {} : { is_enabled: is_enabled ? 1 : 0 }),
      })
      if (every !== undefined) await store.bringForward(trx, id, this.#dependencies.clock.now() + every * 60_000)
      return isThere
    })
    if (!isChanged) throw notFound('followed list')
    this.#changed()
    return this.#find(id)
  }

  /** Checks a list at once, after failures as well. */
  async checkNow(id: string): Promise<Follow> {
    const isDue = await store.makeDue(this.#db, id, this.#dependencies.clock.now())
    const follow = await this.#find(id)
    if (!isDue) throw conflict('The list is disabled; enable it first', 'list_disabled')
    this.#changed()
    return follow
  }

  /** Follows a list no longer; what waits of it is forgotten unless others want it too, its downloads stay. */
  async delete(id: string): Promise<void> {
    const { database } = this.#dependencies
    const isDeleted = await database.query.transaction().execute(async (trx) => {
      await lockIntake(database, trx)
      return store.deleteFollow(trx, id)
    })
    if (!isDeleted) throw notFound('followed list')
    this.#changed()
  }

  #changed(): void {
    this.#dependencies.bus.publish({ type: 'lists_changed', job_id: null })
    this.#dependencies.wake()
  }

  async #find(id: string): Promise<Follow> {
    const row = await store.findFollow(this.#db, id)
    if (row === undefined) throw notFound('followed list')
    return viewOf(row, this.#dependencies.clock.now())
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

const dayStart = (day: string | null): number | null => (day === null ? null : Date.parse(`${day}T00:00:00Z`))

const dayOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString().slice(0, 10))

function viewOf(row: FollowedListRow & { known: number }, now: number): Follow {
  const { id, url, platform, title, type, quality, every_minutes, min_seconds, title_has, failures, error_code } = row
  return {
    id,
    url,
    platform,
    title,
    type,
    quality,
    every_minutes,
    newer_than: dayOf(row.newer_than),
    min_seconds,
    title_has,
    is_enabled: row.is_enabled === 1,
    created_at: jobTimestamp(row.created_at),
    checked_at: row.checked_at === null ? null : jobTimestamp(row.checked_at),
    next_at: row.is_enabled === 1 ? jobTimestamp(row.next_at) : null,
    is_checking: row.lease_until !== null && row.lease_until >= now,
    failures,
    error_code,
    message: row.message,
    known: row.known,
  }
}
