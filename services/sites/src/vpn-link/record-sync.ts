import type { Log, Timers } from '@hearth/runtime'
import { planRecords, recordKey, type NameRecord } from './plan-records.ts'
import { VpnFailed, type VpnClient, type VpnFailureKind } from './vpn-client.ts'

/** What the VPN is to have. */
export interface WantedRecords {
  readonly client: VpnClient
  /** Differs when records are kept in another VPN, or under another name. */
  readonly place: string
  readonly records: readonly NameRecord[]
}

export interface RecordSyncDependencies {
  readonly timers: Timers
  readonly log: Log
  /** Reads what the VPN is to have; undefined while none is linked. */
  readonly wanted: () => Promise<WantedRecords | undefined>
  /** Reads the interfaces of the VPN and stores them. */
  readonly refreshTunnels: (client: VpnClient) => Promise<void>
  /** Ends the request that is under way. */
  readonly interrupt: () => void
  /** Called when the state may be another one. */
  readonly onState: () => void
}

/** Why the records are not in step. */
export interface VpnProblem {
  /** `internal` when it is not the VPN's. */
  readonly kind: VpnFailureKind | 'internal'
  readonly message: string
}

/** State of the records, as it is shown. */
export interface RecordState {
  readonly problem: VpnProblem | undefined
  /** Time of the first of the failures; undefined while there is no problem. */
  readonly failingSince: number | undefined
  readonly checkedAt: number | undefined
  readonly records: number
  readonly waiting: number
  /** Why names do not lead to Caddy inside. */
  readonly conflicts: ReadonlyMap<string, string>
}

/** Time in which edits are collected, milliseconds. */
const collectMs = 500
/** Time between two changes, milliseconds: a VPN takes 30 of a user in a minute, and others need some. */
const spacingMs = 3000
/** Interval of a comparison with everything that the VPN has, milliseconds. */
const compareMs = 300_000
/** First and longest wait after a failure, milliseconds. */
const backOff = { first: 5000, longest: 300_000 } as const

const overriddenNote = 'An operator of the VPN has other addresses for the name.'

/**
 * Keeps the records of the VPN as they are wanted: after each edit by the difference alone, and every few minutes by a comparison
 * with what the VPN has. One change runs at a time. What was not answered is read anew before anything else is changed.
 */
export class RecordSync {
  readonly #dependencies: RecordSyncDependencies
  /** The records that the VPN has; undefined when they have to be read. */
  #actual: Map<string, NameRecord> | undefined
  #place: string | undefined
  #comparedAt = Number.NEGATIVE_INFINITY
  #refused = new Map<string, string>()
  #overridden = new Set<string>()
  /** Number of records when they were read last. */
  #count = 0
  #waiting = 0
  #problem: VpnProblem | undefined
  #failingSince: number | undefined
  #checkedAt: number | undefined
  #failures = 0
  #retryAt = Number.NEGATIVE_INFINITY
  #sentAt = Number.NEGATIVE_INFINITY
  #cancel: () => void = () => undefined
  #running: Promise<void> | undefined
  #isStale = false
  #isClosed = false

  constructor(dependencies: RecordSyncDependencies) {
    this.#dependencies = dependencies
  }

  state(): RecordState {
    const conflicts = new Map<string, string>()
    for (const [key, message] of this.#refused) conflicts.set(key.split(' ')[0] ?? '', message)
    for (const name of this.#overridden) conflicts.set(name, overriddenNote)
    return {
      problem: this.#problem,
      failingSince: this.#failingSince,
      checkedAt: this.#checkedAt,
      records: this.#actual?.size ?? this.#count,
      waiting: this.#waiting,
      conflicts,
    }
  }

  start(): void {
    this.#plan(0)
  }

  /** Sites have changed: compares in a moment, once for many edits. A wait after a failure is kept. */
  poke(): void {
    if (this.#isClosed) return
    if (this.#running !== undefined) this.#isStale = true
    else this.#plan(this.#waitForNext())
  }

  /** Compares now with everything that the VPN has, and resolves when that is done. */
  async compareNow(): Promise<void> {
    await this.#idle()
    this.#actual = undefined
    await this.#run()
  }

  /** Runs a change of the link while nothing else is under way; afterwards everything is read anew. */
  async pausedFor<T>(change: () => Promise<T>): Promise<T> {
    // A VPN that does not answer must not hold up the change.
    if (this.#running !== undefined) this.#dependencies.interrupt()
    await this.#idle()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#running = promise
    try {
      return await change()
    } finally {
      this.#forget()
      this.#running = undefined
      resolve()
      this.#plan(0)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#running
  }

  #waitForNext(): number {
    const now = this.#dependencies.timers.monotonic()
    return Math.max(collectMs, this.#retryAt - now, this.#sentAt + spacingMs - now)
  }

  async #idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  #forget(): void {
    this.#actual = undefined
    this.#refused = new Map()
    this.#overridden = new Set()
    this.#count = 0
    this.#waiting = 0
    this.#problem = undefined
    this.#failingSince = undefined
    this.#checkedAt = undefined
    this.#failures = 0
    this.#retryAt = Number.NEGATIVE_INFINITY
  }

  #plan(ms: number): void {
    this.#cancel()
    if (!this.#isClosed) this.#cancel = this.#dependencies.timers.after(ms, () => void this.#run())
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    if (this.#running !== undefined) {
      this.#isStale = true
      return await this.#running
    }
    this.#isStale = false
    this.#running = this.#attempt().finally(() => (this.#running = undefined))
    const { timers, onState } = this.#dependencies
    await this.#running
    onState()
    const wait = this.#retryAt - timers.monotonic()
    this.#plan(wait > 0 ? wait : this.#isStale ? this.#waitForNext() : compareMs)
  }

  async #attempt(): Promise<void> {
    const { timers, log, wanted } = this.#dependencies
    try {
      const target = await wanted()
      if (target?.place !== this.#place) this.#forget()
      this.#place = target?.place
      if (target === undefined) return
      await this.#bringInStep(target)
      this.#problem = undefined
      this.#failingSince = undefined
      this.#failures = 0
      this.#retryAt = Number.NEGATIVE_INFINITY
    } catch (error) {
      // Whether the last change was made is not known.
      this.#count = this.#actual?.size ?? this.#count
      this.#actual = undefined
      this.#problem = problemOf(error)
      this.#failingSince ??= timers.now()
      if (!(error instanceof VpnFailed) && !this.#isClosed)
        log.error({ err: error }, 'the records of the VPN could not be brought in step')
      const wait = Math.min(backOff.first * 2 ** this.#failures, backOff.longest)
      this.#failures += 1
      const asked = error instanceof VpnFailed ? (error.retryAfterMs ?? 0) : 0
      this.#retryAt = timers.monotonic() + Math.max(wait, asked)
    }
  }

  async #bringInStep({ client, records }: WantedRecords): Promise<void> {
    const { timers, refreshTunnels } = this.#dependencies
    if (this.#actual === undefined && this.#count === 0) this.#waiting = records.length
    const isDue = timers.monotonic() - this.#comparedAt >= compareMs
    if (this.#actual === undefined || isDue) {
      await refreshTunnels(client)
      const kept = await client.records()
      const present = kept.map(({ name, type, value }): NameRecord => ({ name, type, value }))
      this.#actual = new Map(present.map((record) => [recordKey(record), record]))
      this.#overridden = new Set(kept.filter(({ overridden }) => overridden).map(({ name }) => name))
      this.#refused = new Map()
      this.#comparedAt = timers.monotonic()
      this.#checkedAt = timers.now()
    }
    const wanted = new Set(records.map(recordKey))
    for (const key of this.#refused.keys()) if (!wanted.has(key)) this.#refused.delete(key)
    const batches = planRecords(records, this.#actual, this.#refused)
    this.#waiting = batches.reduce((sum, { put, remove }) => sum + put.length + remove.length, 0)
    for (const batch of batches) {
      if (this.#isClosed) return
      this.#sentAt = timers.monotonic()
      const { refused, overridden } = await client.change(batch)
      for (const record of batch.remove) {
        this.#actual.delete(recordKey(record))
        this.#overridden.delete(record.name)
      }
      for (const record of batch.put) {
        const message = refused.get(recordKey(record))
        if (message === undefined) this.#actual.set(recordKey(record), record)
        else this.#refused.set(recordKey(record), message)
      }
      for (const name of overridden) this.#overridden.add(name)
      this.#waiting -= batch.put.length + batch.remove.length
      this.#checkedAt = timers.now()
    }
  }
}

function problemOf(error: unknown): VpnProblem {
  if (error instanceof VpnFailed) return { kind: error.kind, message: error.message }
  return { kind: 'internal', message: 'The records could not be brought in step.' }
}
