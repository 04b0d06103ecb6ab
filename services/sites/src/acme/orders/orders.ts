import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { GuardedFetch } from '@hearth/outbound'
import { conflict, invalidField } from '../../problems.ts'
import type { Uploads } from '../../certificates/uploads/uploads.ts'
import { whyNotPublic } from '../../sites/domains.ts'
import type { ExternalAccount } from '../client/jws.ts'
import { listRevocations } from '../revocation-store.ts'
import type { OrderChange, OrderCreate, OrderView, RevocationRequest } from '../schema.ts'
import * as store from '../store.ts'
import type { OrderRow } from '../tables.ts'
import { createAccounts } from './accounts.ts'
import { changeNewest } from './change-order.ts'
import { begin, tryNow } from './order-machine.ts'
import { OrderRunner, readOrder, type OrderRunnerDependencies } from './order-runner.ts'
import { Revocations } from './revocations.ts'
import { columnsOf, orderView, stateOfRow } from './order-view.ts'

export interface OrdersDependencies extends Omit<OrderRunnerDependencies, 'accounts' | 'revocations'> {
  readonly fetch: GuardedFetch
  readonly uploads: Pick<Uploads, 'install' | 'remove' | 'chain' | 'find'>
  /** Directory of the authority for new orders, and where it writes to. */
  readonly authority: () => { readonly directory: string; readonly email: string }
  readonly externalAccount: (directory: string) => ExternalAccount | undefined
  /** Lets Caddy take a stored certificate over; resolves to why it has not, or undefined. */
  readonly whyNotServed: (certificateId: number) => Promise<string | undefined>
}

/** Most orders. */
const maxOrders = 200

/** Certificates that the service orders by DNS. Steps are rows: what was begun goes on after a restart. */
export class Orders {
  readonly #dependencies: OrdersDependencies
  readonly #runner: OrderRunner
  readonly #revocations: Revocations

  constructor(dependencies: OrdersDependencies) {
    this.#dependencies = dependencies
    const email = () => dependencies.authority().email
    const accounts = createAccounts({ ...dependencies, clock: dependencies.timers, email })
    const isClosed = () => this.#runner.isClosed
    this.#revocations = new Revocations({ ...dependencies, accounts, isClosed })
    this.#runner = new OrderRunner({ ...dependencies, accounts, revocations: this.#revocations })
  }

  start(): void {
    this.#runner.wake()
  }

  close(): Promise<void> {
    return this.#runner.close()
  }

  async list(): Promise<OrderView[]> {
    const { db } = this.#dependencies
    const records = Map.groupBy(await store.listRecords(db), ({ order_id: id }) => id)
    const revocations = new Map((await listRevocations(db)).map((row) => [row.order_id, row]))
    const orders = await store.listOrders(db)
    return orders.map((row) => orderView(row, records.get(row.id) ?? [], revocations.get(row.id)))
  }

  find(id: string): Promise<OrderView | undefined> {
    return readOrder(this.#dependencies.db, id)
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
    this.#runner.wake()
    return orderView(row, [], undefined)
  }

  /**
   * Changes the domains or the provider of an order, which begins anew; the certificate in use stays until then. Undefined when
   * there is no such order.
   */
  async change(id: string, { domains, provider_id }: OrderChange): Promise<OrderView | undefined> {
    const { db, providers, timers } = this.#dependencies
    if (provider_id !== undefined && (await providers.find(provider_id)) === undefined)
      throw invalidField('provider_id', 'is no DNS provider')
    const more = {
      ...(domains !== undefined && { domains: domains.join(' ') }),
      ...(provider_id !== undefined && { provider_id }),
    }
    const isChanged = await changeNewest({ db, timers }, id, (row, now) => {
      if (domains !== undefined) checkNames(domains, row.directory)
      const values = { ...columnsOf(begin(stateOfRow(row), 'The order was changed', now)), ...more }
      return { values, isOver: true }
    })
    if (!isChanged) return undefined
    this.#runner.wake()
    return this.find(id)
  }

  /** Tries again what failed for want of the right external account at the authority of a directory. */
  async retryAccounts(directory: string): Promise<void> {
    const { db, timers } = this.#dependencies
    await store.retryOrdersAt(db, directory, timers.now())
    this.#runner.wake()
  }

  /** Looks for due steps now: somebody changed what they depend on. */
  poke(): void {
    this.#runner.wake()
  }

  /**
   * Tries the failed step now, or renews a certificate that is in place or revoked. Undefined when there is no such order. Throws a
   * conflict before the time that an authority has named.
   */
  async run(id: string): Promise<OrderView | undefined> {
    const isChanged = await changeNewest(this.#dependencies, id, (row, now) => {
      const state = stateOfRow(row)
      const { problem, nextAt } = state
      if (problem?.code === 'rate-limited' && nextAt !== null && nextAt > now)
        throw conflict(`The authority allows no more before ${new Date(nextAt).toISOString()}`, 'rate_limited')
      const isResting = ['idle', 'revoked'].includes(state.progress.step)
      const again = isResting ? begin(state, 'The renewal was asked for', now) : tryNow(state, now)
      return { values: columnsOf(again), isOver: false }
    })
    if (!isChanged) return undefined
    this.#runner.wake()
    return this.find(id)
  }

  /**
   * Revokes the certificate of an order, at once or when a new one is served. Undefined when there is no such order. Throws a
   * problem, and changes nothing then.
   */
  async revoke(id: string, request: RevocationRequest): Promise<OrderView | undefined> {
    if (!(await this.#revocations.request(id, request))) return undefined
    this.#runner.wake()
    const order = await this.find(id)
    if (order !== undefined) this.#dependencies.onStep(order)
    return order
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
    this.#runner.wake()
    return true
  }
}

/** Addresses cannot be proved by DNS, and a public authority signs public names only. */
function checkNames(domains: readonly string[], directory: string): void {
  const isPublic = new URL(directory).hostname.endsWith('letsencrypt.org')
  for (const [index, domain] of domains.entries()) {
    if (isIP(domain) !== 0) throw invalidField(`domains.${index}`, `${domain} is an address, which DNS cannot prove`)
    const why = isPublic ? whyNotPublic(domain) : undefined
    if (why !== undefined) throw invalidField(`domains.${index}`, `no public authority signs ${domain}: ${why}`)
  }
}
