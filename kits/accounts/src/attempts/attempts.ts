import { createHash, randomUUID } from 'node:crypto'
import type { Allowance } from '@hearth/http'
import { createKeyedQueue, type Clock } from '@hearth/runtime'
import { AccountError } from '../account-error.ts'
import type { AnyQuery } from '../any-query.ts'
import type { Throttle } from '../throttle.ts'
import {
  attemptsIn,
  countAttemptRows,
  deleteAttemptRow,
  deleteAttemptRowsBefore,
  deleteAttemptRowsOf,
  insertAttemptRow,
  latestAttempt,
  readAttemptTimes,
} from './store.ts'

/** At most `limit` attempts in any stretch of this length. */
export interface AttemptWindow {
  readonly limit: number
  readonly windowSeconds: number
}

/** Sign-in attempts by address and by account, counted across restarts. */
export interface Attempts {
  /** Counts one more for the key unless one of the windows is full. */
  take(key: string, windows: readonly AttemptWindow[]): Promise<Allowance>
  /** Refunds the last attempt, after a success. */
  refund(key: string): Promise<void>
}

/** Maximum length of a window, milliseconds. */
const maxWindow = 3_600_000

/** Interval at which old rows are deleted, milliseconds. */
const tidyEvery = 300_000

/** Rows that are kept; beyond, all new keys share one count, so that a flood of addresses fills no disk. */
const maxRows = 50_000
const sharedKey = 'everybody else'

/** Bounds of the counting; smaller in tests. */
export interface AttemptBounds {
  readonly maxRows: number
}

/** Counts in the database, by the wall clock, which is the only one that continues across restarts. */
export function createAttempts(query: AnyQuery, clock: Clock, bounds: AttemptBounds = { maxRows }): Attempts {
  const db = attemptsIn(query)
  // Runs one at a time, so that counting and adding are atomic.
  const queue = createKeyedQueue(1000)
  let rows: number | undefined
  let tidiedAt = -Infinity

  async function tidy(now: number): Promise<void> {
    if (rows !== undefined && now - tidiedAt < tidyEvery && now >= tidiedAt) return
    tidiedAt = now
    await deleteAttemptRowsBefore(db, { oldest: now - maxWindow, newest: now + tidyEvery })
    rows = await countAttemptRows(db)
  }

  async function takeNext(given: string, windows: readonly AttemptWindow[]): Promise<Allowance> {
    const now = clock.now()
    await tidy(now)
    const isFull = (rows ?? 0) >= bounds.maxRows && (await latestAttempt(db, hashKey(given))) === undefined
    const key = hashKey(isFull ? sharedKey : given)
    const times = await readAttemptTimes(db, key, now - maxWindow)
    const refused = windows.map((window) => allowanceOf(times, window, now)).filter(({ allowed }) => !allowed)
    const [worst] = refused.sort((a, b) => b.retryAfterSeconds - a.retryAfterSeconds)
    if (worst !== undefined) return worst
    await insertAttemptRow(db, { id: randomUUID(), key, at: now })
    rows = (rows ?? 0) + 1
    const counted = [...times, now]
    const left = windows.map((window) => ({ ...allowanceOf(counted, window, now), allowed: true }))
    const [tightest] = left.sort((a, b) => a.remaining - b.remaining)
    if (tightest === undefined) throw new Error('an attempt is counted without a window')
    return tightest
  }

  return {
    take: (key, windows) => queue.run('attempts', () => takeNext(key, windows)),
    refund: (key) =>
      queue.run('attempts', async () => {
        const latest = await latestAttempt(db, hashKey(key))
        if (latest === undefined) return
        await deleteAttemptRow(db, latest.id)
        if (rows !== undefined) rows -= 1
      }),
  }
}

/** A throttle whose counts survive a restart. */
export function createLastingThrottle(attempts: Attempts, windows: readonly AttemptWindow[]): Throttle {
  return {
    async attempt(key) {
      const allowance = await attempts.take(key, windows)
      if (!allowance.allowed) throw new AccountError({ kind: 'rate-limited', ...allowance })
    },
    succeed: (key) => attempts.refund(key),
  }
}

/** Resets the count, after an account got a new password. */
export async function forgetAttempts(query: AnyQuery, keys: readonly string[]): Promise<void> {
  await deleteAttemptRowsOf(attemptsIn(query), keys.map(hashKey))
}

/** Keys contain input of callers; a hash has a fixed length. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')

function allowanceOf(times: readonly number[], { limit, windowSeconds }: AttemptWindow, now: number): Allowance {
  const start = now - windowSeconds * 1000
  const within = times.filter((time) => time > start)
  const remaining = Math.max(0, limit - within.length)
  const oldest = within.at(-limit) ?? now
  const wait = Math.ceil((oldest - start) / 1000)
  return {
    allowed: remaining > 0,
    limit,
    remaining,
    windowSeconds,
    retryAfterSeconds: remaining > 0 ? 0 : Math.min(Math.max(1, wait), windowSeconds),
  }
}
