import { randomUUID } from 'node:crypto'
import { acquireLock } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import { readRules } from '../destinations/destinations.ts'
import { findDestinationRow, listEnabledDestinations } from '../destinations/store.ts'
import type { Envelope, Message } from '../message.ts'
import { afterQuietHours, dueAt, isUrgent, isWanted } from '../rules/rules.ts'
import type { Db, DeliveryRow, DestinationRow, StoredDatabase } from '../tables.ts'
import { maxAttempts, retryDelay } from './retry.ts'
import {
  countWaitingByDestination,
  findDueDelivery,
  insertDelivery,
  keepNewest,
  leaseDeliveries,
  listBatch,
  listDueTogether,
  releaseDeliveries,
  settleDeliveries,
  type Lease,
} from './store.ts'

/** Lock of a PostgreSQL database that several processes of a service share: they claim one after the other. */
const claimLock = 8_100_014

/** Time after which an attempt without an outcome counts as lost with its process, milliseconds. */
export const leaseMs = 120_000

/** Messages that may wait for one destination; further ones are given up at once. */
const maxWaiting = 1000
/** Messages that are kept after they were delivered, or given up. */
const [maxDelivered, maxDead] = [200, 500]
/** Messages that people get one by one; more that are due at once are sent as one. */
const maxSeparate = 5

/** An attempt that was claimed. */
export interface Claim extends Lease {
  readonly destination: DestinationRow
  readonly envelope: Envelope
  /** This one included. */
  readonly attempts: number
}

/** What is known of a message beside itself. */
export interface Addition {
  /** Identifies the event; a destination gets it once. */
  readonly key?: string | undefined
  /** Only destinations that name its class get it. */
  readonly isOnRequest?: boolean
}

/** Messages on their way to destinations, in the database: what was added is sent although the process dies. */
export class Outbox {
  readonly #database: StoredDatabase
  readonly #clock: Clock
  /** Time of the newest message. Each gets a later one than the message before, so that their order stays. */
  #newest = 0

  constructor(database: StoredDatabase, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** Adds a message for each destination that wants it and has none with this key; within the transaction of what it is about. */
  async add(trx: Db, message: Message, { key, isOnRequest = false }: Addition = {}): Promise<void> {
    const now = this.#clock.now()
    const eventId = key === undefined ? randomUUID() : `${message.class}:${key}`
    const destinations = (await listEnabledDestinations(trx)).map((row) => ({ id: row.id, rules: readRules(row) }))
    const wanting = destinations.filter(({ rules }) => isWanted(rules, message, isOnRequest))
    if (wanting.length === 0) return
    const waiting = await countWaitingByDestination(trx)
    this.#newest = Math.max(now, this.#newest + 1)
    for (const { id, rules } of wanting) {
      const isFull = (waiting.get(id) ?? 0) >= maxWaiting
      const full = { state: 'dead', error: `${maxWaiting} messages were waiting already`, settled_at: now } as const
      await insertDelivery(trx, {
        id: randomUUID(),
        event_id: eventId,
        destination_id: id,
        message: JSON.stringify(message),
        state: 'waiting',
        batch: null,
        attempts: 0,
        due_at: dueAt(rules, message, now),
        lease: null,
        lease_until: null,
        error: null,
        created_at: this.#newest,
        settled_at: null,
        ...(isFull ? full : {}),
      })
    }
  }

  /** Claims what is due next for a destination that gets nothing at the moment; undefined when there is nothing. */
  claim(): Promise<Claim | undefined> {
    const { query, kind } = this.#database
    return query.transaction().execute(async (trx) => {
      await acquireLock(kind, trx, claimLock)
      const now = this.#clock.now()
      const first = await findDueDelivery(trx, now)
      const destination = first && (await findDestinationRow(trx, first.destination_id))
      if (first === undefined || destination === undefined) return undefined
      const rows = await sentTogether(trx, { first, destination, now })
      const lease = { batch: first.batch ?? first.id, lease: randomUUID() }
      const ids = rows.map(({ id }) => id)
      await leaseDeliveries(trx, ids, { ...lease, until: now + leaseMs })
      const messages = rows.map((row) => readMessage(row))
      const attempts = Math.max(...rows.map((row) => row.attempts)) + 1
      return { ...lease, destination, envelope: { id: lease.batch, messages }, attempts }
    })
  }

  /** Ends an attempt with success. Returns false when another process has taken it over. */
  async delivered(claim: Claim): Promise<boolean> {
    const values = { state: 'delivered', settled_at: this.#clock.now(), error: null } as const
    const count = await settleDeliveries(this.#database.query, claim, values)
    await keepNewest(this.#database.query, 'delivered', maxDelivered)
    return count > 0
  }

  /** Ends an attempt with a failure; there is another one unless it was the last. Returns `dead` when it was. */
  async failed(claim: Claim, error: string, retryAfterMs?: number): Promise<'waiting' | 'dead'> {
    if (claim.attempts >= maxAttempts) return this.giveUp(claim, error)
    const now = this.#clock.now()
    const rules = readRules(claim.destination)
    const next = now + retryDelay(claim.attempts, Math.random(), retryAfterMs)
    const due = claim.envelope.messages.some(isUrgent) ? next : afterQuietHours(rules, next)
    await settleDeliveries(this.#database.query, claim, { due_at: due, error })
    return 'waiting'
  }

  /** Ends an attempt, and with it the message: it stays until somebody sends it again or dismisses it. */
  async giveUp(claim: Claim, error: string): Promise<'dead'> {
    const values = { state: 'dead', settled_at: this.#clock.now(), error } as const
    await settleDeliveries(this.#database.query, claim, values)
    await keepNewest(this.#database.query, 'dead', maxDead)
    return 'dead'
  }

  /** Ends an attempt that was interrupted by the end of the service. */
  async release(claim: Claim): Promise<void> {
    await releaseDeliveries(this.#database.query, claim)
  }
}

/** The deliveries to send as one with the first: its batch, or what a digest or the quiet hours held back. */
async function sentTogether(
  trx: Db,
  { first, destination, now }: { first: DeliveryRow; destination: DestinationRow; now: number },
): Promise<DeliveryRow[]> {
  if (first.batch !== null) return listBatch(trx, first.batch)
  const due = await listDueTogether(trx, destination.id, now)
  const isHeld = readRules(destination).digest.every !== 'message' || first.due_at > first.created_at
  const isFlood = due.length > maxSeparate && destination.kind !== 'webhook'
  return isHeld || isFlood ? due : [first]
}

/** Reads the message of a delivery. */
export function readMessage({ message }: Pick<DeliveryRow, 'message'>): Message {
  return JSON.parse(message) as Message
}
