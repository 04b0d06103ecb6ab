import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { Sealer } from '@hearth/credentials'
import type { GuardedFetch } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { conflict, invalidField } from '../../problems.ts'
import type { Uploads } from '../../certificates/uploads/uploads.ts'
import { whyNotPublic } from '../../sites/domains.ts'
import { AcmeClient } from '../client/acme-client.ts'
import { AcmeError } from '../client/acme-error.ts'
import type { Lookups } from '../dns/lookups.ts'
import type { Providers } from '../providers/providers.ts'
import type { OrderCreate, OrderView } from '../schema.ts'
import * as store from '../store.ts'
import type { AcmeTables, OrderRow } from '../tables.ts'
import { createAccounts, type Accounts } from './accounts.ts'
import { createChallengeRecords, OrderGone, type ChallengeRecords } from './challenge-records.ts'
import { failureOf } from './failures.ts'
import { advance, begin, type OrderState, type Outcome } from './order-machine.ts'
import { columnsOf, orderView, stateOfRow } from './order-view.ts'
import { performStep, type Performed } from './perform-step.ts'

export interface OrdersDependencies {
  readonly db: Kysely<AcmeTables>
  readonly sealer: Sealer
  readonly timers: Timers
  readonly log: Log
  readonly fetch: GuardedFetch
  readonly lookups: Lookups
  readonly providers: Providers
  readonly uploads: Pick<Uploads, 'install' | 'remove' | 'chain' | 'find'>
  /** Directory of the authority for new orders, and where it writes to. */
  readonly authority: () => { readonly directory: string; readonly email: string }
  /** Called after each step of an order. */
  readonly onStep: (order: OrderView) => void
}

/** Most orders, and steps at the same time. */
const maxOrders = 200
const together = 5
/** Longest and shortest time between two looks for due steps, milliseconds. */
const longest = 60_000
const shortest = 200

/** Certificates that the service orders by DNS. Steps are rows: what was begun goes on after a restart. */
export class Orders {
  readonly #dependencies: OrdersDependencies
  readonly #accounts: Accounts
  readonly #records: ChallengeRecords
  readonly #clients = new Map<string, AcmeClient>()
  #running: Promise<void> | undefined
  #cancel: () => void = () => undefined
  #isClosed = false
  #isPoked = false

  constructor(dependencies: OrdersDependencies) {
    this.#dependencies = dependencies
    this.#accounts = createAccounts({
      ...dependencies,
      clock: dependencies.timers,
      email: () => dependencies.authority().email,
    })
    this.#records = createChallengeRecords(dependencies)
  }

  start(): void {
    this.#wake(0)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#running
  }

  async list(): Promise<OrderView[]> {
    const { db } = this.#dependencies
    const records = Map.groupBy(await store.listRecords(db), ({ order_id: id }) => id)
    return (await store.listOrders(db)).map((row) => orderView(row, records.get(row.id) ?? []))
  }

  async find(id: string): Promise<OrderView | undefined> {
    const { db } = this.#dependencies
    const row = await store.findOrder(db, id)
    return row && orderView(row, await store.recordsOf(db, id))
  }

  /** Throws a problem that names what is wrong. */
  async add({ name, domains, provider_id, directory }: OrderCreate): Promise<OrderView> {
    const { db, providers, timers, authority } = this.#dependencies
    if ((await providers.find(provider_id)) === undefined) throw invalidField('provider_id', 'is no DNS provider')
    const chosen = directory ?? authority().directory
    checkNames(domains, chosen)
    if ((await store.listOrders(db)).some((order) => order.name === name))
      throw invalidField('name', 'is the name of another certificate')
    if ((await store.countOrders(db)) >= maxOrders) throw conflict(`There are ${maxOrders} orders already`)
    const now = timers.now()
    const row: OrderRow = {
      id: randomUUID(),
      name,
      domains: domains.join(' '),
      provider_id,
      directory: chosen,
      certificate_id: null,
      key_sealed: null,
      ...columnsOf(begin({}, 'The certificate is ordered', now)),
      created_at: now,
      changed_at: now,
    }
    await store.insertOrder(db, row)
    this.#wake(0)
    return orderView(row, [])
  }

  /** Looks for due steps now: somebody changed what they depend on. */
  poke(): void {
    this.#wake(0)
  }

  /**
   * Tries the failed step now, or renews a certificate that is in place. Undefined when there is no such order. Throws a conflict
   * before the time that an authority has named.
   */
  async run(id: string): Promise<OrderView | undefined> {
    const { db, timers } = this.#dependencies
    const row = await store.findOrder(db, id)
    if (row === undefined) return undefined
    const now = timers.now()
    const state = stateOfRow(row)
    const { problem, nextAt } = state
    if (problem?.code === 'rate-limited' && nextAt !== null && nextAt > now)
      throw conflict(`The authority allows no more before ${new Date(nextAt).toISOString()}`, 'rate_limited')
    const again: OrderState =
      state.progress.step === 'idle' ? begin(state, 'The renewal was asked for', now) : { ...state, nextAt: now }
    await store.changeOrder(db, row, { values: columnsOf(again), isOver: false, now })
    this.#wake(0)
    return this.find(id)
  }

  /** Deletes an order with its certificate; false when there is none. Throws a conflict while sites use it. */
  async remove(id: string): Promise<boolean> {
    const { db, timers, uploads } = this.#dependencies
    const row = await store.findOrder(db, id)
    if (row === undefined) return false
    const number = row.certificate_id
    const sites = number === null ? [] : ((await uploads.find(number))?.used_by ?? [])
    if (sites.length > 0) throw conflict(`Sites use the certificate: ${sites.join(', ')}`, 'certificate_in_use')
    await store.deleteOrder(db, id, timers.now())
    if (number !== null) await uploads.remove(number)
    this.#wake(0)
    return true
  }

  /** Looks for due steps after a while; at once when a round is running. */
  #wake(ms: number): void {
    if (this.#isClosed) return
    this.#isPoked ||= this.#running !== undefined && ms === 0
    if (this.#running !== undefined) return
    this.#cancel()
    this.#cancel = this.#dependencies.timers.after(ms, () => {
      this.#running = this.#work()
    })
  }

  async #work(): Promise<void> {
    await this.#round().catch((error: unknown) =>
      this.#dependencies.log.error({ err: error }, 'certificates could not be ordered'),
    )
    const pause = await this.#pause()
    this.#running = undefined
    const isPoked = this.#isPoked
    this.#isPoked = false
    this.#wake(isPoked ? 0 : pause)
  }

  async #pause(): Promise<number> {
    const { db, timers, log } = this.#dependencies
    try {
      const next = await store.nextDue(db)
      return next === undefined ? longest : Math.min(longest, Math.max(shortest, next - timers.now()))
    } catch (error) {
      log.error({ err: error }, 'due steps of certificate orders could not be read')
      return longest
    }
  }

  /** First records are removed, then steps are done: so that no record is removed while a step makes it. */
  async #round(): Promise<void> {
    const { db, timers, onStep } = this.#dependencies
    for (const id of new Set(await this.#records.sweep())) {
      const order = await this.find(id)
      if (order !== undefined) onStep(order)
    }
    const due = await store.dueOrders(db, timers.now(), together)
    await Promise.all(due.map((row) => this.#step(row)))
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
    const values = {
      ...columnsOf(state),
      ...(key !== undefined && { key_sealed: key === null ? null : sealer.seal(key, keyPlace(row.id)) }),
      ...(certificateId !== undefined && { certificate_id: certificateId }),
    }
    if (!(await store.changeOrder(db, row, { values, isOver: !keepsRecords, now }))) return
    // Waiting for the same thing again is no step.
    if (isSame(before, state)) return
    const after = await this.find(row.id)
    if (after !== undefined) onStep(after)
  }

  async #perform(row: OrderRow): Promise<Performed | undefined> {
    const { providers, sealer, timers, lookups, uploads, log } = this.#dependencies
    const client = this.#client(row.directory)
    try {
      const provider = await providers.open(row.provider_id)
      if (provider === undefined) return failed({ code: 'provider-refused', text: 'The DNS provider is gone' })
      return await performStep({
        domains: row.domains.split(' '),
        progress: stateOfRow(row).progress,
        renewAt: row.renew_at,
        client,
        lookups,
        provider,
        now: timers.now(),
        signer: () => this.#accounts.signer(row.directory, client),
        key: row.key_sealed === null ? undefined : sealer.open(row.key_sealed, keyPlace(row.id)),
        current: row.certificate_id === null ? undefined : await uploads.chain(row.certificate_id),
        note: (record) => this.#records.note(row, record),
        install: (certificate, key) =>
          uploads.install(row.certificate_id, { name: row.name, certificate, private_key: key }),
      })
    } catch (error) {
      if (error instanceof OrderGone) return undefined
      if (error instanceof AcmeError && error.type === 'accountDoesNotExist') {
        await this.#accounts.forget(row.directory)
        return failed({ code: 'order-expired', text: 'The authority does not know the account any more' })
      }
      const failure = failureOf(error)
      if (failure !== undefined) return failed(failure)
      log.error({ err: error, order: row.id }, 'a step of a certificate order failed')
      return failed({ code: 'internal', text: 'Something went wrong in this service' })
    }
  }

  #client(directory: string): AcmeClient {
    const { fetch, timers } = this.#dependencies
    const client = this.#clients.get(directory) ?? new AcmeClient(fetch, directory, () => timers.now())
    this.#clients.set(directory, client)
    return client
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

/** Addresses cannot be proved by DNS, and a public authority signs public names only. */
function checkNames(domains: readonly string[], directory: string): void {
  const isPublic = new URL(directory).hostname.endsWith('letsencrypt.org')
  for (const [index, domain] of domains.entries()) {
    if (isIP(domain) !== 0) throw invalidField(`domains.${index}`, `${domain} is an address, which DNS cannot prove`)
    const why = isPublic ? whyNotPublic(domain) : undefined
    if (why !== undefined) throw invalidField(`domains.${index}`, `no public authority signs ${domain}: ${why}`)
  }
}
