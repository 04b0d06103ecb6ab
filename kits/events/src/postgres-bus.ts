import type * as Postgres from 'pg'
import type { Client, Pool } from 'pg'
import { parseJson, type Log } from '@hearth/runtime'
import type { EventBus } from './bus.ts'

/** PostgreSQL carries at most 8000 bytes in a notification, the number included. */
const maxPayload = 7900

/** Events that wait for the database; when more come, the oldest ones are dropped. */
const maxWaiting = 1000

const reconnectAfterMs = 2000

/** Dependencies of a bus over PostgreSQL. */
export interface PostgresBusOptions<Event> {
  readonly url: string
  readonly pool: Pool
  readonly log: Log
  /** Channel of the notifications, and sequence that numbers the events; the sequence is created when missing. */
  readonly channel: string
  readonly sequence: string
  /** Makes an event that is too large for a notification small enough. */
  readonly shorten: (event: Event) => Event
}

/**
 * Opens a bus between processes: LISTEN and NOTIFY, which deliver events to every process in the order of the commits. Events
 * that could not be sent, or were sent while a process was not connected, are a gap.
 */
export async function openPostgresBus<Event>(options: PostgresBusOptions<Event>): Promise<EventBus<Event>> {
  // Loaded here: a service in one process needs no PostgreSQL.
  const pg = await import('pg')
  const bus = new PostgresBus(options, pg)
  await options.pool.query(`create sequence if not exists ${pg.escapeIdentifier(options.sequence)}`)
  await bus.connect()
  return bus
}

class PostgresBus<Event> implements EventBus<Event> {
  readonly #options: PostgresBusOptions<Event>
  readonly #pg: typeof Postgres
  readonly #listeners = new Map<(event: Event, id: number) => void, (() => void) | undefined>()
  readonly #waiting: Event[] = []
  #isSending: Promise<void> | undefined
  #hasLost = false
  #client: Client | undefined
  #isClosed = false
  #lastId = 0

  constructor(options: PostgresBusOptions<Event>, pg: typeof Postgres) {
    this.#options = options
    this.#pg = pg
  }

  get lastId(): number {
    return this.#lastId
  }

  async connect(): Promise<void> {
    const { url, channel, sequence } = this.#options
    const { escapeIdentifier } = this.#pg
    const client = new this.#pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true })
    client.on('error', () => this.#reconnect(client))
    client.on('end', () => this.#reconnect(client))
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${escapeIdentifier(channel)}`)
      const { rows } = await client.query<{ id: string }>(
        `select case when is_called then last_value else 0 end as id from ${escapeIdentifier(sequence)}`,
      )
      this.#lastId = Math.max(this.#lastId, Number(rows[0]?.id))
      this.#client = client
    } catch (error) {
      void client.end().catch(() => undefined)
      throw error
    }
  }

  publish(event: Event): void {
    if (this.#isClosed) return
    this.#waiting.push(event)
    if (this.#waiting.length > maxWaiting) {
      this.#waiting.shift()
      this.#hasLost = true
    }
    this.#isSending ??= this.#send().finally(() => (this.#isSending = undefined))
  }

  subscribe(listener: (event: Event, id: number) => void, onGap?: () => void): () => void {
    this.#listeners.set(listener, onGap)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.#isSending
    this.#isClosed = true
    this.#listeners.clear()
    await this.#client?.end().catch(() => undefined)
  }

  /** One after the other: the events of one process arrive in the order they were published in. */
  async #send(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      const text = JSON.stringify(event)
      await this.#notify(Buffer.byteLength(text) <= maxPayload ? text : JSON.stringify(this.#options.shorten(event)))
    }
  }

  async #notify(payload: string): Promise<void> {
    const { pool, channel, sequence, log } = this.#options
    const { escapeIdentifier, escapeLiteral } = this.#pg
    const next = `nextval(${escapeLiteral(escapeIdentifier(sequence))})::text`
    const notification = `select pg_notify(${escapeLiteral(channel)}, ${next} || ' ' || $1)`
    try {
      if (this.#hasLost) await pool.query(notification, ['null'])
      this.#hasLost = false
      await pool.query(notification, [payload])
    } catch (error) {
      this.#hasLost = true
      log.warn({ err: error }, 'an event could not be sent')
    }
  }

  /** A payload is the number, a blank and the event; `null` instead of an event says that some were lost. */
  #receive(payload: string): void {
    const blank = payload.indexOf(' ')
    const id = Number(payload.slice(0, blank))
    const event = parseJson(payload.slice(blank + 1)) as Event | null | undefined
    if (event === null || event === undefined || Number.isNaN(id)) return this.#reportGap()
    this.#lastId = Math.max(this.#lastId, id)
    for (const listener of this.#listeners.keys()) listener(event, id)
  }

  #reportGap(): void {
    for (const onGap of this.#listeners.values()) onGap?.()
  }

  #reconnect(client: Client): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => undefined)
    const again = () => {
      if (this.#isClosed) return
      this.connect().then(
        () => this.#reportGap(),
        () => setTimeout(again, reconnectAfterMs).unref(),
      )
    }
    setTimeout(again, reconnectAfterMs).unref()
  }
}
