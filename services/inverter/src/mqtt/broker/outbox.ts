import type { BrokerConnection, OutgoingMessage } from './broker-connection.ts'

/** Topics that may wait at a time: more than all values, results and states of 32 inverters. */
const maxTopics = 8192

/**
 * Messages on their way to the broker: the newest of each topic. While there is no connection they stay; a slow broker makes
 * them wait, and a newer message takes the place of one that waits.
 */
export class Outbox {
  /** Messages that have left since the start. */
  sent = 0
  readonly #waiting = new Map<string, OutgoingMessage>()
  #connection: BrokerConnection | undefined
  #wake: () => void = () => undefined

  get size(): number {
    return this.#waiting.size
  }

  put(message: OutgoingMessage): void {
    // A bound that no installation meets: states come again, so the oldest one is the one to lose.
    const oldest = this.#waiting.size < maxTopics ? undefined : this.#waiting.keys().next().value
    if (oldest !== undefined && !this.#waiting.has(message.topic)) this.#waiting.delete(oldest)
    this.#waiting.set(message.topic, message)
    this.#wake()
  }

  drop(topic: string): void {
    this.#waiting.delete(topic)
  }

  /** Sends what waits, one message after the other, until the connection ends. */
  async drainInto(connection: BrokerConnection): Promise<void> {
    this.#connection = connection
    while (this.#connection === connection) {
      const next = this.#waiting.values().next().value
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      this.#waiting.delete(next.topic)
      try {
        await connection.publish(next)
        this.sent += 1
      } catch {
        // The connection ended: the message goes out on the next one, unless there is a newer one.
        if (!this.#waiting.has(next.topic)) this.#waiting.set(next.topic, next)
        return
      }
    }
  }

  /** Stops sending; what waits stays. */
  pause(): void {
    this.#connection = undefined
    this.#wake()
  }

  /** Stops sending and forgets what waits. */
  close(): void {
    this.pause()
    this.#waiting.clear()
  }
}
