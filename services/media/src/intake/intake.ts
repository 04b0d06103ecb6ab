import { randomUUID } from 'node:crypto'
import { acquireLock, type Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { MediaBus } from '../events.ts'
import { queueLock } from '../jobs/jobs.ts'
import { newRow } from '../jobs/new-job.ts'
import { countQueued, findDuplicate, findPresent, insertJob } from '../jobs/store.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import type { MediaType, Platform, Quality } from '../platforms/schema.ts'
import type { Queue } from '../queue/queue.ts'
import type { Settings } from '../settings/schema.ts'
import type { IntakeItemRow, Tables } from '../tables.ts'
import type { Intake } from './schema.ts'
import * as store from './store.ts'

/** A medium to take in. */
export interface Wanted {
  readonly media: MediaUrl
  readonly title: string | null
  readonly type: MediaType
  readonly quality: Quality
  readonly listId: string | null
}

export interface IntakeDependencies {
  readonly database: Database<Tables>
  readonly queue: Queue
  readonly bus: MediaBus
  readonly timers: Timers
  readonly log: Log
  readonly settings: () => Settings
  readonly pauses: Pick<PlatformPauses, 'holding'>
  /** Maximum number of queued jobs. */
  readonly queueSize: number
  /** Resolves to true while the disk has room for downloads. */
  readonly hasSpace: () => Promise<boolean>
}

/** Number of the lock under which items are added, or deleted with others, on PostgreSQL. */
const intakeLock = 8_103_014

/** Interval at which room for the next item is looked for, milliseconds. */
const interval = 2000
/** Maximum number of items that wait. */
export const maxItems = 5000
/** Longest spacing, as a multiple of what is set. */
const maxSpread = 1.5
/** Items in a row that are there already and are passed over in one round. */
const maxPassed = 50

/**
 * Media of lists, on their way to become jobs: one after another for each platform, with a spacing, so that a list neither fills
 * the queue nor makes a platform refuse this server. They wait in the database, and each becomes a job in the transaction that
 * takes it away.
 */
export class MediaIntake {
  readonly #dependencies: IntakeDependencies
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(dependencies: IntakeDependencies) {
    this.#dependencies = dependencies
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), interval).unref()
    this.wake()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#running
  }

  /** Looks for room now; without effect before `start`. */
  wake(): void {
    if (this.#timer === undefined) return
    this.#running ??= this.#feed().finally(() => (this.#running = undefined))
  }

  /** Adds media in a transaction, in their order. Returns those that wait now; the others wait already. */
  async add(trx: Kysely<Tables>, wanted: readonly Wanted[]): Promise<Set<Wanted>> {
    const added_at = this.#dependencies.timers.now()
    const items = wanted.map((one, position) => ({ one, row: itemOf(one, { added_at, position }) }))
    const added = await store.insertItems(
      trx,
      items.map(({ row }) => row),
    )
    return new Set(items.flatMap(({ one, row }) => (added.has(row.id) ? [one] : [])))
  }

  /** Number of items that may still be added in this transaction. Nobody else adds any until it ends. */
  async room(trx: Kysely<Tables>): Promise<number> {
    await lockIntake(this.#dependencies.database, trx)
    const counts = await store.countItems(trx)
    return Math.max(0, maxItems - counts.reduce((sum, { count }) => sum + count, 0))
  }

  async status(): Promise<Intake> {
    const { database } = this.#dependencies
    const [counts, paces] = await Promise.all([store.countItems(database.query), store.readPaces(database.query)])
    const platforms = counts.map(({ platform, count }) => ({
      platform,
      waiting: count,
      seconds_left: Math.ceil(this.#waitUntil(paces.get(platform) ?? 0) / 1000),
    }))
    return { waiting: platforms.reduce((sum, { waiting }) => sum + waiting, 0), platforms }
  }

  /** Removes what waits, of a platform or all; returns how many. */
  async clear(platform?: Platform): Promise<number> {
    const { database, bus } = this.#dependencies
    const removed = await database.query.transaction().execute(async (trx) => {
      await lockIntake(database, trx)
      return store.deleteItems(trx, platform)
    })
    bus.publish({ type: 'lists_changed', job_id: null })
    return removed
  }

  async #feed(): Promise<void> {
    const { database, log, hasSpace } = this.#dependencies
    try {
      const counts = await store.countItems(database.query)
      // What became a job now would fail.
      if (counts.length === 0 || !(await hasSpace())) return
      for (const { platform } of counts) await this.#feedOne(platform)
    } catch (error) {
      log.warn({ err: error }, 'media of lists did not become jobs')
    }
  }

  /** Makes the next item of a platform a job, if there is room and it is time. */
  async #feedOne(platform: Platform): Promise<void> {
    const { database, queue, bus, pauses } = this.#dependencies
    if ((await pauses.holding(platform)) !== undefined) return
    const id = await database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, queueLock)
      return (await this.#isTime(trx, platform)) ? this.#takeNext(trx, platform) : undefined
    })
    if (id === undefined) return
    queue.wake()
    bus.publish({ type: 'job_added', job_id: id })
    bus.publish({ type: 'lists_changed', job_id: null })
  }

  async #isTime(trx: Kysely<Tables>, platform: Platform): Promise<boolean> {
    const next = (await store.readPaces(trx)).get(platform) ?? 0
    if (this.#waitUntil(next) > 0) return false
    // A fifth of the queue is kept for what people submit.
    return (await countQueued(trx)) < Math.max(1, Math.floor(this.#dependencies.queueSize * 0.8))
  }

  /** Rest of the spacing, milliseconds; none when it is longer than one can be: the clock or the setting was put back. */
  #waitUntil(next: number): number {
    const { timers, settings } = this.#dependencies
    const left = Math.max(0, next - timers.now())
    return left > settings().list_spacing_seconds * 1000 * maxSpread ? 0 : left
  }

  async #takeNext(trx: Kysely<Tables>, platform: Platform): Promise<string | undefined> {
    const { timers, settings, queue } = this.#dependencies
    for (let passed = 0; passed < maxPassed; passed += 1) {
      const item = await store.firstItem(trx, platform)
      if (item === undefined) return undefined
      await store.deleteItem(trx, item.id)
      // It may have been submitted since. A list that is followed fetches no medium again whose file was deleted.
      const find = item.list_id === null ? findPresent : findDuplicate
      if ((await find(trx, item)) !== undefined) continue
      const now = timers.now()
      const current = settings()
      const row = newRow(requestOf(item, current[`name_template_${item.type}`]), now)
      await insertJob(trx, row)
      await queue.enqueue(trx, { id: row.id, attempt: row.attempt })
      const spacing = current.list_spacing_seconds * 1000
      await store.setPace(trx, platform, now + Math.round(spacing * (1 + Math.random() * (maxSpread - 1))))
      return row.id
    }
    return undefined
  }
}

/** Has the transaction be the only one that adds items, or deletes several; first in it, so that no two wait for each other. */
export const lockIntake = ({ kind }: Pick<Database<Tables>, 'kind'>, trx: Kysely<Tables>): Promise<void> =>
  acquireLock(kind, trx, intakeLock)

const itemOf = (
  { media, title, type, quality, listId }: Wanted,
  { added_at, position }: { added_at: number; position: number },
): IntakeItemRow => ({
  id: randomUUID(),
  list_id: listId,
  media_key: media.key,
  url: media.url,
  platform: media.platform,
  type,
  quality,
  title,
  added_at,
  position,
})

const requestOf = ({ url, platform, media_key, type, quality, title }: IntakeItemRow, name_template: string) => ({
  id: randomUUID(),
  url,
  platform,
  media_key,
  type,
  quality,
  video_title: title,
  name_template,
})
