import type { Log, Timers } from '@hearth/runtime'
import { toIsoString } from '@hearth/runtime'
import { openBroker, type BrokerAddress, type BrokerConnection, type IncomingMessage } from './broker-connection.ts'
import type { OutgoingMessage } from './broker-connection.ts'
import { BrokerError } from './broker-error.ts'
import { Outbox } from './outbox.ts'

interface SessionDependencies {
  readonly address: BrokerAddress
  readonly timers: Timers
  readonly log: Log
  /** Topic of the service's own state, which is also its last will. */
  readonly statusTopic: string
  /** Filters that are subscribed to on every connection. */
  readonly subscriptions: readonly string[]
  /** Called on every new connection, when the subscriptions are made. */
  readonly onConnected: () => void
  readonly onMessage: (message: IncomingMessage) => void
  /** Called when the state of the connection has changed. */
  readonly onState: () => void
}

/** State of the connection: `waiting` is the pause before the next attempt. */
type SessionState = 'connecting' | 'connected' | 'waiting'

/** First and longest pause before the next attempt, milliseconds. */
const firstPause = 1000
const longestPause = 60_000

/** A connection that lasted so long was a good one: the next pause is the first again. */
const stableMs = 30_000

/** At most one line in the log in this time, milliseconds. */
const logEvery = 60_000

/** Time for taking leave, milliseconds. */
const leaveMs = 2000

/** Keeps a connection to the broker: connects again after a failure, and sends what waits. */
export class BrokerSession {
  readonly #dependencies: SessionDependencies
  readonly #end = new AbortController()
  readonly #outbox = new Outbox()
  readonly #running: Promise<void>
  #connection: BrokerConnection | undefined
  #status: { readonly state: SessionState; readonly last_error: string | null }
  #since: number
  #nextAttemptAt: number | null = null
  #loggedAt = -Infinity
  /** When the connection was lost, milliseconds of the monotonic clock; undefined while there is one. */
  #awaySince: number | undefined

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies
    this.#status = { state: 'connecting', last_error: null }
    this.#since = dependencies.timers.now()
    this.#awaySince = dependencies.timers.monotonic()
    this.#running = this.#run()
  }

  get isConnected(): boolean {
    return this.#connection !== undefined
  }

  /** Milliseconds without a connection; 0 while there is one. */
  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#dependencies.timers.monotonic() - this.#awaySince
  }

  get lastError(): string | null {
    return this.#status.last_error
  }

  /** Returns the state as the API has it. */
  status() {
    return {
      ...this.#status,
      since: toIsoString(this.#since),
      next_attempt_at: toIsoString(this.#nextAttemptAt),
      published: this.#outbox.sent,
      waiting: this.#outbox.size,
    }
  }

  /** Sends a message as soon as possible. While one of the same topic waits, it takes its place. */
  send(message: OutgoingMessage): void {
    this.#outbox.put(message)
  }

  /** Sends a message now; resolves when it has left or, with `qos` 1, is acknowledged. Rejects without a connection. */
  async deliver(message: OutgoingMessage): Promise<void> {
    if (this.#connection === undefined) throw new BrokerError('There is no connection to the broker')
    this.#outbox.drop(message.topic)
    await this.#connection.publish(message)
    this.#outbox.sent += 1
  }

  /** Says that the service is offline, or with `isForgotten` removes its state, and closes the connection. */
  async close({ isForgotten = false } = {}): Promise<void> {
    const connection = this.#connection
    if (connection !== undefined) {
      const last = this.#ownStatus(isForgotten ? '' : 'offline')
      const leave = connection.publish(last).then(() => connection.end())
      const { timers } = this.#dependencies
      await Promise.race([leave.catch(() => undefined), timers.delay(leaveMs)])
    }
    this.#end.abort()
    this.#outbox.close()
    await this.#running
  }

  async #run(): Promise<void> {
    const { timers } = this.#dependencies
    let pause = firstPause
    while (!this.#end.signal.aborted) {
      const begin = timers.monotonic()
      this.#set('connecting', this.#status.last_error)
      const error = await this.#connectOnce()
      if (this.#end.signal.aborted) return
      this.#awaySince ??= timers.monotonic()
      if (timers.monotonic() - begin > stableMs) pause = firstPause
      const wait = pause * (0.5 + Math.random() / 2)
      pause = Math.min(pause * 2, longestPause)
      this.#nextAttemptAt = timers.now() + wait
      this.#set('waiting', error.message)
      this.#note('warn', `MQTT: ${error.message}`)
      await timers.delay(wait, this.#end.signal).catch(() => undefined)
      this.#nextAttemptAt = null
    }
  }

  /** Connects, works until the connection ends, and returns why it ended. */
  async #connectOnce(): Promise<Error> {
    const { address, timers, statusTopic, subscriptions, onConnected, onMessage } = this.#dependencies
    const will = this.#ownStatus('offline')
    let connection: BrokerConnection | undefined
    try {
      connection = await openBroker({ address, timers, will, onMessage, signal: this.#end.signal })
      const opened = connection
      this.#end.signal.addEventListener('abort', () => opened.fail(new BrokerError('the connection was ended')), {
        once: true,
      })
      for (const filter of subscriptions) await connection.subscribe(filter)
      await connection.publish(this.#ownStatus('online'))
      this.#connection = connection
      this.#awaySince = undefined
      this.#set('connected', null)
      this.#note('info', `MQTT: connected to ${new URL(address.url).host}`)
      this.#outbox.drop(statusTopic)
      onConnected()
      void this.#outbox.drainInto(connection)
      return await connection.closed
    } catch (error) {
      connection?.fail(error)
      return error as Error
    } finally {
      this.#connection = undefined
      this.#outbox.pause()
    }
  }

  #ownStatus(payload: 'online' | 'offline' | ''): OutgoingMessage {
    return { topic: this.#dependencies.statusTopic, payload, isRetained: true, qos: 1 }
  }

  #set(state: SessionState, lastError: string | null): void {
    const isNew = state !== this.#status.state
    if (isNew) this.#since = this.#dependencies.timers.now()
    this.#status = { state, last_error: lastError }
    if (isNew) this.#dependencies.onState()
  }

  #note(level: 'info' | 'warn', text: string): void {
    const { timers, log } = this.#dependencies
    const now = timers.monotonic()
    if (now - this.#loggedAt < logEvery) return
    this.#loggedAt = now
    log[level](text)
  }
}
