import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { CertificateTables, ScanRow } from '../tables.ts'
import type { Grade } from '../grader/score.ts'
import type { HistoryGrade } from '../history/weekly-points.ts'
import { isScanOver, nextScanStep, type ScanInput, type ScanStep } from './next-scan-step.ts'
import { type SslLabsClient, SslLabsError } from './ssl-labs-client.ts'
import * as store from './store.ts'

/** A new assessment of the host was started not long ago. */
export class ScanTooSoon extends Error {
  override readonly name = 'ScanTooSoon'
  /** Time of the next request. */
  readonly seconds: number

  constructor(seconds: number) {
    super(`a new scan of the host is possible in ${seconds} s`)
    this.seconds = seconds
  }
}

export interface ScansDependencies {
  readonly db: Kysely<CertificateTables>
  readonly client: SslLabsClient
  readonly timers: Timers
  readonly log: Log
  /** The registered address; undefined while scans are off. */
  readonly email: () => string | undefined
  readonly onState: (scan: ScanRow) => void
  readonly onGrade: (result: {
    host: string
    siteId: number
    grade: HistoryGrade
    gradeTrustIgnored: Grade | undefined
  }) => Promise<void>
}

/** Between new assessments of one host, milliseconds. */
const freshPause = 300_000
const coolOffFact = 'cool_off_until'

/** Scans by SSL Labs, one at a time. */
export class Scans {
  readonly #dependencies: ScansDependencies
  readonly #end = new AbortController()
  #working: Promise<void> | undefined
  #isMore = false

  constructor(dependencies: ScansDependencies) {
    this.#dependencies = dependencies
  }

  /** Continues the scans of an earlier run. */
  async start(): Promise<void> {
    await store.requeueInterrupted(this.#dependencies.db)
    this.#work()
  }

  /** Puts a host in the queue; does nothing when it is there already. Throws `ScanTooSoon`. */
  async request({ host, siteId, isFresh }: { host: string; siteId: number; isFresh: boolean }): Promise<ScanRow> {
    const { db, timers } = this.#dependencies
    const now = timers.now()
    const known = await store.findScan(db, host)
    if (known !== undefined && !isScanOver(known.state)) return known
    const lastFresh = known?.last_fresh_at ?? null
    if (isFresh && lastFresh !== null && now - lastFresh < freshPause)
      throw new ScanTooSoon(Math.ceil((freshPause - (now - lastFresh)) / 1000))
    const row: ScanRow = {
      host,
      site_id: siteId,
      state: 'queued',
      is_fresh: Number(isFresh),
      requested_at: now,
      started_at: null,
      last_fresh_at: lastFresh,
      finished_at: null,
      grade: known?.grade ?? null,
      message: null,
    }
    await store.putScan(db, row)
    this.#dependencies.onState(row)
    this.#work()
    return row
  }

  list(): Promise<ScanRow[]> {
    return store.listScans(this.#dependencies.db)
  }

  async close(): Promise<void> {
    this.#end.abort(new Error('the service ends'))
    await this.#working
  }

  /** Works through the queue, unless somebody does already. */
  #work(): void {
    if (this.#end.signal.aborted) return
    this.#isMore = this.#working !== undefined
    if (this.#isMore) return
    this.#working = this.#drain()
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted) this.#dependencies.log.error({ err: error }, 'scans by SSL Labs stopped')
      })
      .finally(() => {
        this.#working = undefined
        // A scan may have been queued after the queue was found empty.
        if (this.#isMore) this.#work()
      })
  }

  async #drain(): Promise<void> {
    for (;;) {
      const row = await store.nextQueued(this.#dependencies.db)
      if (row === undefined) return
      await this.#scan(row)
    }
  }

  async #scan(row: ScanRow): Promise<void> {
    const { timers } = this.#dependencies
    const begun = timers.monotonic()
    let isQueried = false
    let failures = 0
    await this.#change(row, { state: 'starting', started_at: timers.now() })
    for (;;) {
      await this.#waitForCoolOff()
      const mode = isQueried ? 'poll' : row.is_fresh === 1 ? 'new' : 'cached'
      const input = await this.#request(row, mode)
      failures = input.kind === 'failure' ? failures + 1 : 0
      isQueried ||= input.kind === 'answer'
      const step = nextScanStep(input, { elapsed: timers.monotonic() - begun, failures })
      await this.#take(row, step)
      if (isScanOver(step.state)) return
      if ('waitMs' in step) await timers.delay(step.waitMs, this.#end.signal)
    }
  }

  async #request(row: ScanRow, mode: 'new' | 'cached' | 'poll'): Promise<ScanInput> {
    const { client, email, timers, db } = this.#dependencies
    const address = email()
    if (address === undefined)
      return { kind: 'failure', failure: 'not-registered', message: 'Scans by SSL Labs are off' }
    try {
      if (mode === 'new') {
        await this.#waitForRoom(address)
        await store.changeScan(db, row.host, { last_fresh_at: timers.now() })
      }
      return { kind: 'answer', assessment: await client.analyze(address, row.host, mode) }
    } catch (error) {
      if (!(error instanceof SslLabsError)) throw error
      return { kind: 'failure', failure: error.failure, message: error.message }
    }
  }

  /** As many assessments as we may have, and the pause SSL Labs wants before another. */
  async #waitForRoom(address: string): Promise<void> {
    const { client, timers } = this.#dependencies
    for (let turn = 0; turn < 60; turn += 1) {
      const { maxAssessments, currentAssessments, newAssessmentCoolOff } = await client.info(address)
      const isRoom = currentAssessments < maxAssessments
      await timers.delay(isRoom ? Math.min(newAssessmentCoolOff, 60_000) : 30_000, this.#end.signal)
      if (isRoom) return
    }
    throw new SslLabsError('rate-limited', 'SSL Labs has no room for another assessment')
  }

  async #take(row: ScanRow, step: ScanStep): Promise<void> {
    const { timers, db, onGrade } = this.#dependencies
    const message = 'message' in step ? step.message : null
    const finished_at = isScanOver(step.state) ? timers.now() : null
    if (step.state === 'rate_limited') await store.writeFact(db, coolOffFact, String(timers.now() + step.coolOffMs))
    if (step.state === 'ready') {
      const { grade, gradeTrustIgnored } = step
      await onGrade({ host: row.host, siteId: row.site_id, grade, gradeTrustIgnored })
    }
    await this.#change(row, { state: step.state, message, finished_at, ...('grade' in step && { grade: step.grade }) })
  }

  /** A pause outlasts a restart. */
  async #waitForCoolOff(): Promise<void> {
    const { db, timers } = this.#dependencies
    const until = Number((await store.readFact(db, coolOffFact)) ?? 0)
    const left = Math.min(until - timers.now(), 3_600_000)
    if (left > 0) await timers.delay(left, this.#end.signal)
  }

  async #change(row: ScanRow, change: Partial<Omit<ScanRow, 'host'>>): Promise<void> {
    Object.assign(row, change)
    await store.changeScan(this.#dependencies.db, row.host, change)
    this.#dependencies.onState(row)
  }
}

/** Sites whose names may be sent to SSL Labs. None is until somebody opts in. */
export type OptIns = ReturnType<typeof createOptIns>

/** Beginning of the names of facts that are opt-ins; the id of the site follows. */
const optInPrefix = 'site:'

/** Creates the store of opt-ins, which survive a restart. */
export function createOptIns(db: Kysely<CertificateTables>) {
  return {
    async list(): Promise<ReadonlySet<number>> {
      const names = await store.factsBeginning(db, optInPrefix)
      return new Set(names.map((name) => Number(name.slice(optInPrefix.length))))
    },
    async set(siteId: number, isOn: boolean): Promise<void> {
      const name = `${optInPrefix}${siteId}`
      await (isOn ? store.writeFact(db, name, '1') : store.deleteFact(db, name))
    },
  }
}
