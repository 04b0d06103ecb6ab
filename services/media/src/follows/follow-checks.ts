import type { Log, Timers } from '@hearth/runtime'
import { isDiskFull, type Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { MediaBus } from '../events.ts'
import type { MediaIntake } from '../intake/intake.ts'
import type { ListMember, MediaLists, ReadList } from '../lists/media-lists.ts'
import { blockReasonOf } from '../pauses/pause-rules.ts'
import { readListUrl } from '../platforms/list-url.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import type { FollowedListRow, Tables } from '../tables.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { passes } from './filter.ts'
import * as store from './store.ts'

export interface CheckDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly timers: Timers
  readonly log: Log
  readonly hosts: PlatformHosts
  readonly mediaLists: Pick<MediaLists, 'read'>
  readonly intake: MediaIntake
}

const minute = 60_000
/** Interval at which due lists are read, and time after which a check counts as lost, milliseconds. */
const [interval, lease] = [10_000, 5 * minute]
/** Longest wait after failures, milliseconds, and while the platform is paused or the disk is full. */
const [maxWait, maxPausedWait] = [7 * 24 * 60 * minute, 60 * minute]
/** Longest part of a wait by which it is longer than it should be, so that lists of one hour do not stay together. */
const maxSpread = 0.1
/** Entries at the end of a list that is longer than what is read: older ones move in there when others are deleted. */
const edge = 50

/**
 * Checks followed lists when they are due, one at a time in each process. What is new goes to the intake in the transaction that
 * notes it as known, so that a crash loses nothing and doubles nothing.
 */
export class FollowChecks {
  readonly #dependencies: CheckDependencies
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(dependencies: CheckDependencies) {
    this.#dependencies = dependencies
  }

  async start(): Promise<void> {
    const { database } = this.#dependencies
    // No other process works on a SQLite database: what is claimed was claimed by one that was killed.
    if (database.kind === 'sqlite') await store.releaseClaims(database.query)
    this.#timer = setInterval(() => this.wake(), interval).unref()
    this.wake()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#running
  }

  /** Starts the checks that are due; without effect before `start`. */
  wake(): void {
    if (this.#timer === undefined) return
    this.#running ??= this.#work().finally(() => (this.#running = undefined))
  }

  async #work(): Promise<void> {
    const { database, timers, log } = this.#dependencies
    try {
      while (!this.#closing.signal.aborted) {
        const now = timers.now()
        const latest = now + maxWait * (1 + maxSpread)
        const list = await store.claimFollow(database.query, { now, until: now + lease, latest })
        if (list === undefined) return
        await this.#check(list)
      }
    } catch (error) {
      log.warn({ err: error }, 'followed lists cannot be checked')
    }
  }

  async #check(list: FollowedListRow): Promise<void> {
    const { database, bus, timers, hosts, mediaLists, intake, log } = this.#dependencies
    bus.publish({ type: 'lists_changed', job_id: null })
    try {
      const read = await mediaLists.read(readListUrl(list.url, hosts), this.#closing.signal)
      await database.query.transaction().execute((trx) => this.#take(trx, list, read))
      intake.wake()
    } catch (error) {
      // The check is due again at the next start.
      if (this.#closing.signal.aborted) return void (await store.endClaim(database.query, list, {}))
      const failure = isDiskFull(error) ? new MediaFailure('disk_full', undefined, error) : error
      if (!(failure instanceof MediaFailure && failure.code !== 'disk_full'))
        log.error({ err: failure, list: list.id }, 'a followed list could not be checked')
      await store.endClaim(database.query, list, failureValues(list, failure, timers.now()))
    }
    bus.publish({ type: 'lists_changed', job_id: null })
  }

  /** Takes what is new and wanted. What finds no room stays unknown, for the next check. */
  async #take(trx: Kysely<Tables>, list: FollowedListRow, read: ReadList): Promise<void> {
    const { timers, intake } = this.#dependencies
    const now = timers.now()
    const room = await intake.room(trx)
    const isOurs = await store.endClaim(trx, list, { ...successValues(list, now), title: read.title ?? list.title })
    if (!isOurs) return
    const known = await store.knownMedia(trx, list.id)
    const fresh = read.members.filter(({ media }) => !known.has(media.key))
    const isFirst = list.is_begun === 0
    const [wanted, ignored] = decide(fresh, { list, read, isFirst })
    const taken = wanted.slice(0, room)
    await intake.add(
      trx,
      taken.map(({ media, title }) => ({ media, title, type: list.type, quality: list.quality, listId: list.id })),
    )
    const keys = [...taken, ...ignored].map(({ media }) => media.key)
    await store.rememberMedia(trx, list.id, { keys, seen_at: now })
  }
}

/** Media that a list wants, and those that are passed over for good. */
function decide(
  fresh: readonly ListMember[],
  { list, read, isFirst }: { list: FollowedListRow; read: ReadList; isFirst: boolean },
): [ListMember[], ListMember[]] {
  if (isFirst && list.takes_present === 0) return [[], [...fresh]]
  const late = read.isTruncated && !isFirst ? new Set(read.members.slice(-edge)) : new Set()
  return [
    fresh.filter((member) => !late.has(member) && passes(member, list)),
    fresh.filter((member) => late.has(member)),
  ]
}

const successValues = (list: FollowedListRow, now: number) => ({
  is_begun: 1,
  checked_at: now,
  failures: 0,
  error_code: null,
  message: null,
  next_at: now + spread(list.every_minutes * minute),
})

const spread = (wait: number): number => Math.round(wait * (1 + Math.random() * maxSpread))

function failureValues(list: FollowedListRow, error: unknown, now: number) {
  const isForeseen = error instanceof MediaFailure
  const failures = list.failures + 1
  // A platform that is paused is no failure of the list, nor is a full disk.
  const isPaused = isForeseen && (blockReasonOf(error.code) !== undefined || error.code === 'disk_full')
  const every = list.every_minutes * minute
  const wait = isPaused ? Math.min(every, maxPausedWait) : Math.min(maxWait, every * 2 ** Math.min(failures, 16))
  return {
    checked_at: now,
    failures: isPaused ? list.failures : failures,
    error_code: isForeseen ? error.code : 'failed',
    message: isForeseen ? error.message : 'Something went wrong on the server; its log says more',
    next_at: now + spread(wait),
  }
}
