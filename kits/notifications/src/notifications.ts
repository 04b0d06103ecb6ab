import { randomUUID } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import { LabelledCounts } from '@hearth/metrics'
import { createOpenGuarded, createOutboundPolicy, type OutboundAllow, type Resolver } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { Outcome } from './channels/outcome.ts'
import { send } from './channels/send.ts'
import { Destinations, type StoredDestination } from './destinations/destinations.ts'
import type {
  FailedNotification,
  FailedNotifications,
  NotificationDestination,
  NotificationDestinationValues,
  NotificationOverview,
  NotificationTest,
} from './destinations/schema.ts'
import { listEnabledDestinations } from './destinations/store.ts'
import type { Target } from './destinations/target.ts'
import { testClass, type Envelope, type EventClass } from './message.ts'
import { NotificationError } from './notification-error.ts'
import { Outbox, readMessage } from './outbox/outbox.ts'
import { Reporter, type Reports } from './outbox/reporter.ts'
import { Sender } from './outbox/sender.ts'
import {
  countByState,
  countWaitingByDestination,
  deleteDead,
  deleteWaiting,
  endAllLeases,
  listDead,
  reviveDead,
  type DeadDelivery,
} from './outbox/store.ts'
import type { AnyDatabase, Db, StoredDatabase } from './tables.ts'

/** Dependencies of the notifications. */
export interface NotificationsDependencies {
  readonly sealer: Sealer
  readonly timers: Timers
  readonly log: Log
  /** Destinations on private addresses or unusual ports that may be reached. */
  readonly allow: OutboundAllow
  /** Replaces the system's own, in tests. */
  readonly resolver?: Resolver | undefined
  /** Name of the service after "Hearth", for people: `Sites`. */
  readonly service: string
  readonly publicUrl: string | undefined
  readonly classes: readonly EventClass[]
  /** Time for one attempt to send, milliseconds; 15 000 by default. */
  readonly timeoutMs?: number
}

/** Counts for monitoring. */
export interface NotificationFigures {
  /** Attempts since the start, by kind of destination and outcome. */
  readonly attempts: readonly (readonly [Readonly<Record<string, string>>, number])[]
  readonly waiting: number
  /** Messages that were given up and not dismissed. */
  readonly dead: number
}

/** Ports of mail servers that may be reached without an exemption. */
const mailPorts = [25, 465, 587]

/** Tells people what happened: destinations with their rules, and the messages on their way to them. */
export class Notifications {
  /** Takes what features report. */
  readonly reports: Reports
  readonly #dependencies: NotificationsDependencies
  readonly #database: StoredDatabase
  readonly #destinations: Destinations
  readonly #reporter: Reporter
  readonly #sender: Sender
  readonly #counts = new LabelledCounts()
  readonly #send: (target: Target, envelope: Envelope, signal: AbortSignal) => Promise<Outcome>

  /** @param anyDatabase has the tables of `createNotificationTables` */
  constructor(anyDatabase: AnyDatabase, dependencies: NotificationsDependencies) {
    const database = anyDatabase as StoredDatabase
    this.#database = database
    this.#dependencies = dependencies
    const { sealer, timers, service, allow, resolver, timeoutMs = 15_000 } = dependencies
    const lookup = resolver === undefined ? {} : { resolver }
    const outbox = new Outbox(database, timers)
    this.#destinations = new Destinations({ db: database.query, clock: timers, sealer })
    const context = {
      open: createOpenGuarded(createOutboundPolicy(allow, lookup)),
      mailPolicy: createOutboundPolicy(allow, { ...lookup, ports: mailPorts }),
      now: () => timers.now(),
      service,
      timeoutMs,
    }
    this.#send = (target, envelope, signal) => send(target, envelope, { ...context, signal })
    this.#sender = new Sender({
      ...dependencies,
      db: database.query,
      outbox,
      destinations: this.#destinations,
      send: this.#send,
      onOutcome: (kind, outcome) => this.#counts.add(`${kind} ${outcome}`, () => ({ kind, outcome })),
    })
    this.#reporter = new Reporter({ ...dependencies, database, outbox, onStored: () => this.#sender.wake() })
    this.reports = this.#reporter
  }

  /** Starts sending: what waited when the service ended is sent too. */
  async start(): Promise<void> {
    // A service with an embedded database has its data directory for itself, so that these attempts are of an earlier process.
    if (this.#database.kind === 'sqlite') await endAllLeases(this.#db)
    this.#sender.start()
  }

  /** Resolves when everything that was reported is stored. */
  stored(): Promise<void> {
    return this.#reporter.settled()
  }

  /** Stores what was reported and stops sending. The database stays open. */
  async close(): Promise<void> {
    await this.#reporter.close()
    await this.#sender.close()
  }

  /** Returns all destinations and the event classes of the service. */
  async overview(): Promise<NotificationOverview> {
    const waiting = await countWaitingByDestination(this.#db)
    const destinations = await this.#destinations.list()
    return {
      destinations: destinations.map((each) => Object.assign(each, { waiting: waiting.get(each.id) ?? 0 })),
      classes: [...this.#dependencies.classes],
      failed: (await countByState(this.#db)).get('dead') ?? 0,
    }
  }

  async create(input: NotificationDestinationValues): Promise<NotificationDestination> {
    this.#checkClasses(input)
    return this.#withWaiting(await this.#destinations.create(input))
  }

  /** Replaces all values of a destination. One that is switched off loses the messages that wait for it. */
  async change(id: string, input: NotificationDestinationValues): Promise<NotificationDestination> {
    this.#checkClasses(input)
    const changed = await this.#destinations.change(id, input)
    if (!input.is_enabled) await deleteWaiting(this.#db, id)
    return this.#withWaiting(changed)
  }

  /** Deletes a destination with its messages. */
  remove(id: string): Promise<void> {
    return this.#destinations.remove(id)
  }

  /** Sends a test message at once and returns its outcome. */
  async test(id: string): Promise<NotificationTest> {
    const { service, publicUrl, timers } = this.#dependencies
    const message = {
      class: testClass,
      severity: 'info',
      state: 'happened',
      title: `Test from Hearth ${service}`,
      text: 'Notifications reach this destination.',
      link: publicUrl ?? null,
      at: timers.now(),
    } as const
    const target = await this.#destinations.target(id)
    const outcome = await this.#send(target, { id: randomUUID(), messages: [message] }, new AbortController().signal)
    const isDelivered = outcome.kind === 'delivered'
    await this.#destinations.recordAttempt(id, isDelivered ? null : outcome.detail)
    return { is_delivered: isDelivered, detail: outcome.detail }
  }

  /** Returns the messages that were given up, newest first. */
  async failures(): Promise<FailedNotifications> {
    const rows = await listDead(this.#db, 100)
    const total = (await countByState(this.#db)).get('dead') ?? 0
    return { failures: rows.map(describeDead), total }
  }

  /** Sends a message that was given up again. */
  async sendAgain(id: string): Promise<void> {
    if (!(await reviveDead(this.#db, id, this.#dependencies.timers.now()))) throw noSuchFailure()
    this.#sender.wake()
  }

  /** Deletes a message that was given up. */
  async dismiss(id: string): Promise<void> {
    if (!(await deleteDead(this.#db, id))) throw noSuchFailure()
  }

  /** Resolves to true when a destination gets messages. */
  async isNeeded(): Promise<boolean> {
    return (await listEnabledDestinations(this.#db)).length > 0
  }

  /** Returns attempts since the start by kind and outcome, and the messages that wait or were given up. */
  async figures(): Promise<NotificationFigures> {
    const states = await countByState(this.#db)
    return {
      attempts: this.#counts.samples().map(([labels, count]) => [labels, count ?? 0] as const),
      waiting: states.get('waiting') ?? 0,
      dead: states.get('dead') ?? 0,
    }
  }

  #checkClasses({ rules }: NotificationDestinationValues): void {
    const known = new Set(this.#dependencies.classes.map(({ id }) => id))
    const unknown = rules.classes?.find((name) => !known.has(name))
    if (unknown === undefined) return
    const message = `holds ${JSON.stringify(unknown)}, which is no event class of this service`
    throw new NotificationError({ kind: 'invalid', member: 'rules.classes', message })
  }

  async #withWaiting(destination: StoredDestination): Promise<NotificationDestination> {
    const waiting = await countWaitingByDestination(this.#db)
    return { ...destination, waiting: waiting.get(destination.id) ?? 0 }
  }

  get #db(): Db {
    return this.#database.query
  }
}

const noSuchFailure = () => new NotificationError({ kind: 'not-found', what: 'failed message' })

function describeDead(row: DeadDelivery): FailedNotification {
  const { class: name, severity, title } = readMessage(row)
  return {
    id: row.id,
    destination_id: row.destination_id,
    destination: row.destination,
    class: name,
    severity,
    title,
    attempts: row.attempts,
    error: row.error ?? '',
    created_at: new Date(row.created_at).toISOString(),
    failed_at: new Date(row.settled_at ?? row.created_at).toISOString(),
  }
}
