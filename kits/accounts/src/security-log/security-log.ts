import { randomUUIDv7 } from 'node:crypto'
import { Readable } from 'node:stream'
import { SettledClock, type Clock, type Log } from '@hearth/runtime'
import { AccountError } from '../account-error.ts'
import type { AnyQuery } from '../any-query.ts'
import { PasskeyError } from '../passkeys/passkey-error.ts'
import { csvHeading, csvLine, jsonLine } from './export-lines.ts'
import { eventOfRow, type SecurityEvent, type SecurityLogFilter, type SecurityLogQuery } from './schema.ts'
import type { Actor, NewSecurityEvent, NewSignInFailure, SignInFailure } from './security-event.ts'
import type { SecurityLogRetention } from './settings.ts'
import * as store from './store.ts'
import type { SecurityEventRow } from './tables.ts'

/** Dependencies of the security log. */
export interface SecurityLogDependencies {
  readonly query: AnyQuery
  readonly clock: Clock
  readonly log: Log
  readonly retention: SecurityLogRetention
  /** The user with this name, as typed at sign-in; undefined when there is none. */
  readonly findUser: (username: string) => Promise<Actor | undefined>
  /** HTTP status with which the service answers an error. */
  readonly statusOf: (error: unknown) => number
}

/** Which events are read: of one user or of all. */
interface Selection extends SecurityLogFilter {
  readonly userId?: string | undefined
}

const day = 86_400_000

/** Interval at which old events are deleted, milliseconds. */
const tidyEvery = 600_000
/** Number of new events after which old ones are deleted, however soon. */
const tidyAfter = 500
/** Interval at which refusals of one address for too many attempts are stored, milliseconds. */
const refusalEvery = 60_000
/** Addresses whose last stored refusal is remembered. */
const maxRefused = 1000
const maxText = 256

/** Who signed in and out, from where, and what they changed about the ways in. Recording never fails what is recorded. */
export class SecurityLog {
  readonly #dependencies: SecurityLogDependencies
  readonly #db: ReturnType<typeof store.securityLogIn>
  readonly #refusedAt = new Map<string, number>()
  readonly #settled: SettledClock
  #added = 0
  #tidiedAt = -Infinity

  constructor(dependencies: SecurityLogDependencies) {
    this.#dependencies = dependencies
    this.#settled = new SettledClock(dependencies.clock)
    this.#db = store.securityLogIn(dependencies.query)
  }

  /** Stores an event. Never call it inside a transaction. */
  record(event: NewSecurityEvent): Promise<void> {
    return this.#add(rowOf(event, this.#dependencies.clock.now()))
  }

  /**
   * Stores a failed sign-in, and writes one line for programs such as fail2ban:
   * `SECURITY sign-in failed client=ADDRESS reason=REASON status=STATUS username=NAME`. The name stands last and holds nothing
   * but letters, digits and `._@-`, so that nobody can type a line of their own making.
   */
  async failed({ from, username = '', reason, status, isProved = false }: NewSignInFailure): Promise<void> {
    const { log, findUser } = this.#dependencies
    const name = username.slice(0, 64).replaceAll(/[^\w.@-]/g, '?')
    log.warn(`SECURITY sign-in failed client=${from.address} reason=${reason} status=${status} username=${name}`)
    if (reason === 'rate_limited' && !this.#isFirstRefusal(from.address)) return
    // Somebody may have typed a password into the field of the name, so a name that nobody has is not stored.
    const user = username === '' || isProved ? undefined : await findUser(username).catch(() => undefined)
    const event = { kind: 'sign_in_failed', by: user, from, ...(isProved && { target: username }) } as const
    const row = rowOf(event, this.#dependencies.clock.now())
    await this.#add({ ...row, reason })
  }

  /** Awaits an action, and records it once it has succeeded. */
  async recordAfter<T>(action: Promise<T>, event: NewSecurityEvent | ((result: T) => NewSecurityEvent)): Promise<T> {
    const result = await action
    await this.record(typeof event === 'function' ? event(result) : event)
    return result
  }

  /** Awaits an attempt to prove who one is. A refusal is recorded, and thrown again. */
  async watch<T>(proof: Promise<T>, attempt: Omit<NewSignInFailure, 'reason' | 'status'>): Promise<T> {
    try {
      return await proof
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal !== undefined)
        await this.failed({ ...attempt, ...refusal, status: this.#dependencies.statusOf(error) })
      throw error
    }
  }

  /** Lists events, newest first, with the number of all that match. */
  async list({ limit, offset, ...filter }: SecurityLogQuery & Selection) {
    await this.#tidy()
    const stored = this.#filterOf(filter)
    const rows = await store.listSecurityEvents(this.#db, stored, { limit, offset })
    return { events: rows.map(eventOfRow), total: await store.countSecurityEvents(this.#db, stored) }
  }

  /** Returns all events that match as a file, newest first. */
  export(format: 'csv' | 'jsonl', filter: Selection): Readable {
    return Readable.from(this.#lines(format, filter))
  }

  async *#lines(format: 'csv' | 'jsonl', filter: Selection) {
    if (format === 'csv') yield csvHeading
    const line: (event: SecurityEvent) => string = format === 'csv' ? csvLine : jsonLine
    const stored = this.#filterOf(filter)
    let before: SecurityEventRow | undefined
    do {
      const rows = await store.listSecurityEventsBefore(this.#db, stored, { before, limit: 500 })
      for (const row of rows) yield line(eventOfRow(row))
      before = rows.at(-1)
    } while (before !== undefined)
  }

  async #add(row: SecurityEventRow): Promise<void> {
    try {
      await store.insertSecurityEvent(this.#db, row)
      this.#added += 1
      await this.#tidy()
    } catch (error) {
      const message = `the event ${row.kind} could not be stored in the security log`
      this.#dependencies.log.error({ err: error }, message)
    }
  }

  /** Failed sign-ins get at most half of the rows, so that a flood of them does not push out everything else. */
  async #tidy(): Promise<void> {
    const now = this.#dependencies.clock.now()
    if (this.#added < tidyAfter && Math.abs(now - this.#tidiedAt) < tidyEvery) return
    this.#tidiedAt = now
    this.#added = 0
    const { rows } = this.#dependencies.retention
    // With a wrong clock everything looks old. Nobody is shown what is too old meanwhile.
    if (this.#settled.isSettled()) await store.deleteSecurityEventsUntil(this.#db, this.#oldest(now))
    await store.keepNewestSecurityEvents(this.#db, Math.ceil(rows / 2), 'sign_in_failed')
    await store.keepNewestSecurityEvents(this.#db, rows)
  }

  #isFirstRefusal(address: string): boolean {
    const now = this.#dependencies.clock.now()
    if (now - (this.#refusedAt.get(address) ?? -Infinity) < refusalEvery) return false
    if (this.#refusedAt.size >= maxRefused) this.#refusedAt.clear()
    this.#refusedAt.set(address, now)
    return true
  }

  #filterOf({ userId, kind, search }: Selection): store.SecurityEventFilter {
    return { userId, kind, search, since: this.#oldest(this.#dependencies.clock.now()) }
  }

  #oldest(now: number): number {
    return now - this.#dependencies.retention.days * day
  }
}

/** Stores what a command of the command line did. */
export async function recordCommand(
  query: AnyQuery,
  event: Pick<NewSecurityEvent, 'kind' | 'target' | 'detail'>,
  now: number,
): Promise<void> {
  await store.insertSecurityEvent(store.securityLogIn(query), rowOf({ ...event, method: 'command_line' }, now))
}

function rowOf({ kind, by, from, method, target, detail }: NewSecurityEvent, at: number): SecurityEventRow {
  return {
    id: randomUUIDv7(),
    at,
    kind,
    user_id: by?.userId ?? null,
    username: storable(by?.username),
    address: from?.address ?? null,
    user_agent: storable(from?.userAgent),
    method: method ?? null,
    reason: null,
    target: storable(target),
    detail: storable(detail),
  }
}

/** PostgreSQL stores no null characters. */
const storable = (text: string | undefined) => text?.replaceAll('\0', '').slice(0, maxText) ?? null

/** Returns why a proof was refused; undefined for other errors. A passkey names its user, where it has one. */
function refusalOf(error: unknown): { readonly reason: SignInFailure; readonly username?: string } | undefined {
  if (error instanceof PasskeyError && error.reason.kind === 'sign-in-failed') {
    const { failure, username } = error.reason
    return { reason: failure, ...(username !== undefined && { username }) }
  }
  const reason = error instanceof AccountError ? failureOf(error) : undefined
  return reason && { reason }
}

function failureOf({ reason }: AccountError): SignInFailure | undefined {
  if (reason.kind === 'rate-limited') return 'rate_limited'
  if (reason.kind === 'invalid-password') return reason.code === 'wrong_password' ? 'wrong_current_password' : undefined
  if (reason.kind !== 'wrong-credentials') return undefined
  if (reason.isDisabled) return 'disabled_account'
  return reason.isByCode ? 'invalid_recovery_code' : 'invalid_credentials'
}
