import type { Sealer } from '@hearth/credentials'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Uploads } from '../../certificates/uploads/uploads.ts'
import { AcmeError } from '../client/acme-error.ts'
import type { Lookups } from '../dns/lookups.ts'
import type { Providers } from '../providers/providers.ts'
import type { OrderView } from '../schema.ts'
import { findRevocation } from '../revocation-store.ts'
import * as store from '../store.ts'
import type { AcmeTables, OrderRow } from '../tables.ts'
import type { Accounts } from './accounts.ts'
import { allEnded } from './all-ended.ts'
import { createChallengeRecords, OrderGone, type ChallengeRecords } from './challenge-records.ts'
import { changeNewest } from './change-order.ts'
import { failureOf } from './failures.ts'
import { advance, type OrderState, type Outcome } from './order-machine.ts'
import { columnsOf, orderView, stateOfRow } from './order-view.ts'
import { performStep, type Performed } from './steps/perform-step.ts'
import type { Revocations } from './revocations.ts'

export interface OrderRunnerDependencies {
  readonly db: Kysely<AcmeTables>
  readonly sealer: Sealer
  readonly timers: Timers
  readonly log: Log
  readonly lookups: Lookups
  readonly providers: Providers
  readonly uploads: Pick<Uploads, 'install' | 'remove' | 'chain'>
  readonly accounts: Accounts
  readonly revocations: Pick<Revocations, 'sweep'>
  /** Called after each step of an order. */
  readonly onStep: (order: OrderView) => void
  /** Ends the requests of steps that are running. */
  readonly onClose: () => void
}

/** Most steps at the same time. */
const together = 5
/** Longest and shortest time between two looks for due steps, milliseconds. */
const longest = 60_000
const shortest = 200
/** Pause after a round with an error that nobody expects, such as a full disk; with each one in a row longer, up to `longest`. */
const afterError = 30_000
/** Time that running steps have when the service ends, milliseconds. */
const patience = 5000

/** Reads an order as the API returns it; undefined when there is none. */
export async function readOrder(db: Kysely<AcmeTables>, id: string): Promise<OrderView | undefined> {
  const row = await store.findOrder(db, id)
  return row && orderView(row, await store.recordsOf(db, id), await findRevocation(db, id))
}

/** Does the steps of orders when they are due, and writes each result. */
export class OrderRunner {
  readonly #dependencies: OrderRunnerDependencies
  readonly #records: ChallengeRecords
  #running: Promise<void> | undefined
  #cancel: () => void = () => undefined
  #isClosed = false
  #isPoked = false
  #failedRounds = 0

  constructor(dependencies: OrderRunnerDependencies) {
    this.#dependencies = dependencies
    this.#records = createChallengeRecords({ ...dependencies, isClosed: () => this.#isClosed })
  }

  /** True once the service ends. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Ends what is running. A step that does not end soon is left alone: its result is lost, and it is done again later. */
  async close(): Promise<void> {
    const { timers, onClose } = this.#dependencies
    this.#isClosed = true
    this.#cancel()
    onClose()
    const ended = new AbortController()
    const late = timers.delay(patience, ended.signal).catch(() => undefined)
    await Promise.race([this.#running, late])
    ended.abort()
  }

  /** Looks for due steps after a while, at once by default; after the round that is running. */
  wake(ms = 0): void {
    if (this.#isClosed) return
    this.#isPoked ||= this.#running !== undefined && ms === 0
    if (this.#running !== undefined) return
    this.#cancel()
    this.#cancel = this.#dependencies.timers.after(ms, () => {
      this.#running = this.#work()
    })
  }

  async #work(): Promise<void> {
    const pause = await this.#round().then(
      () => this.#afterRound(),
      (error: unknown) => this.#afterFailedRound(error),
    )
    this.#running = undefined
    const isPoked = this.#isPoked
    this.#isPoked = false
    this.wake(isPoked ? 0 : pause)
  }

  /** The steps are still due, and their results may be lost again: the authority must not be asked the same all the time. */
  #afterFailedRound(error: unknown): number {
    this.#dependencies.log.error({ err: error }, 'certificates could not be ordered')
    this.#failedRounds += 1
    return Math.min(longest, this.#failedRounds * afterError)
  }

  async #afterRound(): Promise<number> {
    const { db, timers, log } = this.#dependencies
    this.#failedRounds = 0
    try {
      const now = timers.now()
      const next = await store.nextDue(db, now)
      return next === undefined ? longest : Math.min(longest, Math.max(shortest, next - now))
    } catch (error) {
      log.error({ err: error }, 'due steps of certificate orders could not be read')
      return longest
    }
  }

  /** First records are removed, then steps are done: so that no record is removed while a step makes it. */
  async #round(): Promise<void> {
    const { db, timers, revocations, onStep } = this.#dependencies
    for (const id of new Set([...(await this.#records.sweep()), ...(await revocations.sweep())])) {
      const order = await readOrder(db, id)
      if (order !== undefined) onStep(order)
    }
    const due = await store.dueOrders(db, timers.now(), together)
    await allEnded(due.map((row) => this.#step(row)))
  }

  async #step(row: OrderRow): Promise<void> {
    const { db, timers, sealer, onStep } = this.#dependencies
    if (this.#isClosed) return
    const performed = await this.#perform(row)
    if (performed === undefined) return
    const { outcome, key, certificateId } = performed
    const now = timers.now()
    const before = stateOfRow(row)
    const { state, keepsRecords } = advance(before, outcome, now)
    const isIssued = outcome.kind === 'issued'
    const values = {
      ...columnsOf(state),
      ...(key !== undefined && { key_sealed: key === null ? null : sealer.seal(key, keyPlace(row.id)) }),
      ...(certificateId !== undefined && { certificate_id: certificateId }),
    }
    if (!(await store.changeOrder(db, row, { values, isOver: !keepsRecords, isIssued, now })))
      return this.#keepCertificate(row.id, performed)
    // Waiting for the same thing again is no step.
    if (isSame(before, state)) return
    const after = await readOrder(db, row.id)
    if (after !== undefined) onStep(after)
  }

  /** An order that was changed while its certificate was stored keeps it; that of an order which was deleted goes. */
  async #keepCertificate(id: string, { outcome, certificateId }: Performed): Promise<void> {
    if (certificateId === undefined || outcome.kind !== 'issued') return
    const issued = { certificate_id: certificateId, not_after: outcome.notAfter }
    const isKept = await changeNewest(this.#dependencies, id, ({ certificate_id: known }) => {
      return { values: known === null ? issued : {}, isOver: false }
    })
    if (!isKept) await this.#dependencies.uploads.remove(certificateId)
  }

  async #perform(row: OrderRow): Promise<Performed | undefined> {
    const { accounts, providers, sealer, timers, lookups, uploads, log } = this.#dependencies
    const { progress } = stateOfRow(row)
    if (progress.step === 'revoked') return undefined
    try {
      const provider = await providers.open(row.provider_id)
      if (provider === undefined) return failed({ code: 'provider-refused', text: 'The DNS provider is gone' })
      return await performStep({
        domains: row.domains.split(' '),
        progress,
        renewAt: row.renew_at,
        client: accounts.client(row.directory),
        lookups,
        provider,
        now: timers.now(),
        signer: () => accounts.signer(row.directory),
        key: row.key_sealed === null ? undefined : sealer.open(row.key_sealed, keyPlace(row.id)),
        current: row.certificate_id === null ? undefined : await uploads.chain(row.certificate_id),
        note: (record) => this.#records.note(row, record),
        install: (certificate, key) =>
          uploads.install(row.certificate_id, { name: row.name, certificate, private_key: key }),
      })
    } catch (error) {
      // What fails because the service ends has not failed.
      if (error instanceof OrderGone || this.#isClosed) return undefined
      if (error instanceof AcmeError && error.type === 'accountDoesNotExist') {
        await accounts.forget(row.directory)
        return failed({ code: 'order-expired', text: 'The authority does not know the account any more' })
      }
      const failure = failureOf(error)
      if (failure !== undefined) return failed(failure)
      log.error({ err: error, order: row.id }, 'a step of a certificate order failed')
      return failed({ code: 'internal', text: 'Something went wrong in this service' })
    }
  }
}

const isSame = (one: OrderState, other: OrderState): boolean =>
  one.progress.step === other.progress.step &&
  one.problem?.text === other.problem?.text &&
  one.history.at(-1)?.text === other.history.at(-1)?.text

const failed = (failure: Extract<Outcome, { kind: 'failed' }>['failure']): Performed => ({
  outcome: { kind: 'failed', failure },
})

const keyPlace = (id: string): string => `certificate_orders.key_sealed:${id}`
