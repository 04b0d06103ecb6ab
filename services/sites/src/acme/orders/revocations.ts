import { X509Certificate } from 'node:crypto'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Uploads } from '../../certificates/uploads/uploads.ts'
import { conflict, type Problem, tooMany, unavailable } from '../../problems.ts'
import type { RevocationReason } from '../client/acme-client.ts'
import { AcmeError } from '../client/acme-error.ts'
import * as revocationStore from '../revocation-store.ts'
import type { RevocationRequest } from '../schema.ts'
import * as store from '../store.ts'
import type { AcmeTables, OrderRow, RevocationRow } from '../tables.ts'
import type { Accounts } from './accounts.ts'
import { allEnded } from './all-ended.ts'
import { changeNewest, noteInHistory } from './change-order.ts'
import { advice, failureOf } from './failures.ts'
import { begin, noted, pauseAfter, withdraw } from './order-machine.ts'
import { columnsOf, serialOf, stateOfRow } from './order-view.ts'

interface RevocationsDependencies {
  readonly db: Kysely<AcmeTables>
  readonly timers: Timers
  readonly log: Log
  readonly accounts: Accounts
  readonly uploads: Pick<Uploads, 'chain' | 'find'>
  /** Lets Caddy take the stored certificate with this id over; resolves to why it has not, or undefined. */
  readonly whyNotServed: (certificateId: number) => Promise<string | undefined>
  /** True once the service ends: what fails then has not failed. */
  readonly isClosed: () => boolean
}

/** Revocations at the same time. */
const together = 5
/** After so many attempts, about a day, a certificate is revoked although a Caddy still has it. */
const maxAttempts = 28
/** After so many attempts, about a month, nobody waits for the revocation of a certificate that has expired. */
const maxExpiredAttempts = 726

const reasonWords: Readonly<Record<RevocationReason, string>> = {
  key_compromised: 'its key is compromised',
  superseded: 'another one takes its place',
  no_longer_used: 'it is no longer used',
}

/** Revokes certificates of orders: at once, or when a new one is issued and served. */
export class Revocations {
  readonly #dependencies: RevocationsDependencies

  constructor(dependencies: RevocationsDependencies) {
    this.#dependencies = dependencies
  }

  /** Revokes the certificate of an order; false when there is no such order. Throws a problem, and changes nothing then. */
  async request(id: string, { reason, order_new_first: wantsNew }: RevocationRequest): Promise<boolean> {
    const { db, uploads } = this.#dependencies
    const order = await store.findOrder(db, id)
    if (order === undefined) return false
    const known = await revocationStore.findRevocation(db, id)
    const open = known?.revoked_at === null ? known : undefined
    if (open === undefined && stateOfRow(order).progress.step === 'revoked') return true
    const used = order.certificate_id === null ? [] : ((await uploads.find(order.certificate_id))?.used_by ?? [])
    if (!(wantsNew ?? used.length > 0)) return this.#revokeNow(order, reason, open)
    if (open !== undefined) throw conflict('The certificate is about to be revoked already', 'revocation_waits')
    return this.#orderFirst(id, reason)
  }

  /** Does what is due; returns the ids of the orders that changed. */
  async sweep(): Promise<string[]> {
    const { db, timers } = this.#dependencies
    const due = await revocationStore.dueRevocations(db, timers.now(), together)
    await allEnded(due.map((row) => this.#revokeDue(row)))
    return due.map(({ order_id: id }) => id)
  }

  /** The order begins anew; the revocation waits for its end. */
  async #orderFirst(id: string, reason: RevocationReason): Promise<boolean> {
    return changeNewest(this.#dependencies, id, async (order, now) => {
      const revocation = { ...(await this.#target(order, reason)), next_at: null, revoked_at: null }
      const text = `A new certificate is ordered; then the current one is revoked, because ${reasonWords[reason]}`
      return { values: columnsOf(begin(stateOfRow(order), text, now)), isOver: true, revocation }
    })
  }

  async #revokeNow(order: OrderRow, reason: RevocationReason, open: RevocationRow | undefined): Promise<boolean> {
    const target = { ...(open ?? (await this.#target(order, reason))), reason }
    await this.#send(target).catch((error: unknown) => {
      throw error instanceof AcmeError ? problemOf(error) : error
    })
    // From here on it is revoked; asked again, the authority says so.
    return changeNewest(this.#dependencies, order.id, async (current, now) => {
      const revocation = { ...target, attempts: 0, problem: null, next_at: null, revoked_at: now }
      const isInUse = open === undefined && (await this.#leaf(current)) === target.certificate
      const state = (isInUse ? withdraw : noted)(stateOfRow(current), doneText(target), now)
      return { values: columnsOf(state), isOver: isInUse, revocation }
    })
  }

  async #revokeDue(row: RevocationRow): Promise<void> {
    const { db, timers, log, isClosed } = this.#dependencies
    try {
      const order = await store.findOrder(db, row.order_id)
      const why = await this.#whyNotServed(order, row)
      if (why !== undefined) return await this.#postpone(row, { text: `Caddy has the old certificate: ${why}` })
      await this.#send(row)
      if (order === undefined) return await revocationStore.deleteRevocation(db, row.order_id)
      await revocationStore.finishRevocation(db, row, timers.now())
      await noteInHistory(this.#dependencies, row.order_id, doneText(row))
    } catch (error) {
      if (isClosed()) return
      const failure = failureOf(error)
      if (failure === undefined) log.error({ err: error }, 'a certificate could not be revoked')
      const text = failure?.text ?? 'It could not be revoked; the log of the service says more'
      // The clock of this machine may be wrong: it alone ends nothing.
      const isOver = failure?.code === 'authority-refused' || row.attempts >= maxExpiredAttempts
      if (isOver && hasExpired(row, timers.now())) return this.#expire(row, text)
      await this.#postpone(row, { text, waitMs: failure?.retryAfterMs })
    }
  }

  async #whyNotServed(order: OrderRow | undefined, { attempts }: RevocationRow): Promise<string | undefined> {
    const number = order?.certificate_id ?? null
    if (number === null || attempts >= maxAttempts) return undefined
    return this.#dependencies.whyNotServed(number)
  }

  async #expire({ order_id: id }: RevocationRow, why: string): Promise<void> {
    await revocationStore.deleteRevocation(this.#dependencies.db, id)
    await noteInHistory(this.#dependencies, id, `The old certificate expired before it was revoked. ${why}`)
  }

  async #postpone(row: RevocationRow, { text, waitMs = 0 }: { text: string; waitMs?: number | undefined }) {
    const { db, timers } = this.#dependencies
    const attempts = row.attempts + 1
    const next_at = timers.now() + Math.max(pauseAfter(attempts, true), waitMs)
    await revocationStore.postponeRevocation(db, { order_id: row.order_id, attempts, problem: text, next_at })
  }

  /** Throws `AcmeError`. */
  async #send({ directory, certificate, reason }: Pick<RevocationRow, 'directory' | 'certificate' | 'reason'>) {
    const { accounts } = this.#dependencies
    const signer = await accounts.signer(directory)
    await accounts.client(directory).revoke(signer, new X509Certificate(certificate).raw, reason)
  }

  async #target(order: OrderRow, reason: RevocationReason) {
    const { timers } = this.#dependencies
    const certificate = await this.#leaf(order)
    if (certificate === undefined) throw conflict('No certificate is issued yet', 'no_certificate')
    if (hasExpired({ certificate }, timers.now()))
      throw conflict('The certificate has expired: there is nothing to revoke', 'certificate_expired')
    const base = { order_id: order.id, directory: order.directory, certificate, reason }
    return { ...base, attempts: 0, problem: null, created_at: timers.now() }
  }

  /** The certificate of an order without its chain, PEM. */
  async #leaf({ certificate_id: number }: OrderRow): Promise<string | undefined> {
    const chain = number === null ? undefined : await this.#dependencies.uploads.chain(number)
    return chain === undefined ? undefined : new X509Certificate(chain).toString()
  }
}

const hasExpired = ({ certificate }: Pick<RevocationRow, 'certificate'>, now: number): boolean =>
  new X509Certificate(certificate).validToDate.getTime() <= now

const doneText = ({ certificate, reason }: Pick<RevocationRow, 'certificate' | 'reason'>): string =>
  `Revoked, because ${reasonWords[reason]}: serial number ${serialOf(certificate)}`

/** The answer to a request that the authority did not fulfil. */
function problemOf(error: AcmeError): Problem {
  const { code, text, retryAfterMs } = failureOf(error) ?? { code: 'authority-away', text: error.message }
  const words = `Nothing was revoked. ${text}`
  if (code === 'rate-limited') return tooMany(words, Math.ceil((retryAfterMs ?? 60_000) / 1000))
  if (code === 'authority-away') return unavailable(words, { code: 'authority_away' })
  return conflict(code === 'not-reachable' ? `${words}. ${advice[code]}` : words, 'authority_refused')
}
