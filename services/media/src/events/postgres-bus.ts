import type { Log } from '@hearth/runtime'
import { Client, type Pool } from 'pg'
import type { EventBus } from './bus.ts'
import type { MediaEvent, NumberedEvent } from './schema.ts'

const channel = 'hearth_media_events'
/** PostgreSQL carries at most 8000 bytes. */
const longestMessage = 7900
/** Events that wait for the database; more are dropped, oldest first. */
const mostWaiting = 1000
const reconnectAfter = 2000

/** The bus of several processes: LISTEN and NOTIFY, which every listener hears in the order of the commits. */
export async function openPostgresBus(parts: { url: string; pool: Pool; log: Log }): Promise<EventBus> {
  const bus = new PostgresBus(parts)
  await parts.pool.query('create sequence if not exists media_event_seq')
  await bus.connect()
  return bus
}

class PostgresBus implements EventBus {
  readonly #parts: { url: string; pool: Pool; log: Log }
  readonly #listeners = new Set<(event: NumberedEvent) => void>()
  readonly #waiting: MediaEvent[] = []
  #isSending: Promise<void> | undefined
  #client: Client | undefined
  #isClosed = false
  #lastSeq = 0

  constructor(parts: { url: string; pool: Pool; log: Log }) {
    this.#parts = parts
  }

  async connect(): Promise<void> {
    const client = new Client({ connectionString: this.#parts.url, connectionTimeoutMillis: 5000, keepAlive: true })
    client.on('error', () => this.#reconnect(client))
    client.on('end', () => this.#reconnect(client))
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''))
    await client.connect()
    await client.query(`listen ${channel}`)
    this.#client = client
  }

  publish(event: MediaEvent): void {
    if (this.#isClosed) return
    this.#waiting.push(event)
    if (this.#waiting.length > mostWaiting) this.#waiting.shift()
    this.#isSending ??= this.#send().finally(() => (this.#isSending = undefined))
  }

  subscribe(listener: (event: NumberedEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    await this.#isSending
    this.#isClosed = true
    this.#listeners.clear()
    await this.#client?.end().catch(() => undefined)
  }

  /** One after the other: what one process says of a job arrives in the order it was said. */
  async #send(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      const text = JSON.stringify(event)
      const short = Buffer.byteLength(text) <= longestMessage ? text : JSON.stringify(shortened(event))
      await this.#parts.pool
        .query(`select pg_notify('${channel}', nextval('media_event_seq')::text || ' ' || $1)`, [short])
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'an event could not be told'))
    }
  }

  #hear(payload: string): void {
    const space = payload.indexOf(' ')
    const seq = Number(payload.slice(0, space))
    this.#lastSeq = Math.max(this.#lastSeq, seq)
    this.#tell({ ...(JSON.parse(payload.slice(space + 1)) as MediaEvent), seq })
  }

  #tell(event: NumberedEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #reconnect(client: Client): void {
    if (this.#isClosed || this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => undefined)
    const again = () => {
      if (this.#isClosed) return
      this.connect().then(
        // What was said meanwhile was not heard.
        () => this.#tell({ type: 'resync_required', job_id: null, seq: this.#lastSeq }),
        () => setTimeout(again, reconnectAfter).unref(),
      )
    }
    setTimeout(again, reconnectAfter).unref()
  }
}

/** An event without its long texts; whoever needs them reads the job. */
function shortened(event: MediaEvent): MediaEvent {
  if (!('id' in event)) return event
  const { video_title: _title, video_meta_hover: _hover, filename: _name, ...rest } = event
  return { ...rest, message: event.message?.slice(0, 300) ?? null }
}
