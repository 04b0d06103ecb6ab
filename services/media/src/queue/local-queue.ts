import type { Log } from '@hearth/runtime'
import type { BegunJob, Queue, QueueWork, Ticket } from './queue.ts'

/** Interval at which the queue is read without a wake-up, milliseconds. */
const pollInterval = 5000

export interface LocalQueueDependencies {
  /** Reads the first queued job. */
  readonly first: () => Promise<Ticket | undefined>
  readonly log: Log
}

/** The queue of one process on one database: it reads the job table whenever something changes. */
export class LocalQueue implements Queue {
  readonly #dependencies: LocalQueueDependencies
  #work: QueueWork | undefined
  #free = 0
  #isHandingOut = false
  #wasWoken = false
  #timer: NodeJS.Timeout | undefined

  constructor(dependencies: LocalQueueDependencies) {
    this.#dependencies = dependencies
  }

  enqueue(): Promise<void> {
    return Promise.resolve()
  }

  /** Nothing to do: the table itself is read. */
  remind(): Promise<void> {
    return Promise.resolve()
  }

  wake(): void {
    this.#wasWoken = true
    if (!this.#isHandingOut) void this.#handOut()
  }

  start(work: QueueWork, concurrency: number): Promise<void> {
    this.#work = work
    this.#free = concurrency
    this.#timer = setInterval(() => this.wake(), pollInterval).unref()
    this.wake()
    return Promise.resolve()
  }

  close(): Promise<void> {
    clearInterval(this.#timer)
    this.#work = undefined
    return Promise.resolve()
  }

  /** One at a time, so that two reads never see the same head. */
  async #handOut(): Promise<void> {
    this.#isHandingOut = true
    try {
      while (this.#wasWoken) {
        this.#wasWoken = false
        await this.#fillFreeSlots()
      }
    } catch (error) {
      this.#dependencies.log.error({ err: error }, 'the job queue cannot be read')
    } finally {
      this.#isHandingOut = false
    }
  }

  /** Ends when all slots are busy, the queue is empty or closed, or its first job cannot be claimed. */
  async #fillFreeSlots(): Promise<void> {
    let unclaimed: Ticket | undefined
    while (this.#free > 0) {
      const ticket = await this.#dependencies.first()
      const work = this.#work
      if (work === undefined || ticket === undefined) return
      // Still the first after it could not be claimed: retrying at once would loop for ever. The next wake tries again.
      if (ticket.id === unclaimed?.id && ticket.attempt === unclaimed.attempt) return
      const job = await work.begin(ticket)
      if (job === undefined) unclaimed = ticket
      else this.#occupySlot(job)
    }
  }

  #occupySlot({ end }: BegunJob): void {
    this.#free -= 1
    void end.finally(() => {
      this.#free += 1
      this.wake()
    })
  }
}
