import type { Log } from '@hearth/runtime'
import type { BegunJob, Queue, QueueWork, Ticket } from './queue.ts'

/** How often the line is looked at without being told to, milliseconds. */
const lookEvery = 5000

/** What the queue of one process needs. */
export interface LocalQueueParts {
  /** The first of the line. */
  readonly first: () => Promise<Ticket | undefined>
  readonly log: Log
}

/** The queue of one process on one database: it looks at the line whenever something changes. */
export function createLocalQueue(parts: LocalQueueParts): Queue {
  return new LocalQueue(parts)
}

class LocalQueue implements Queue {
  readonly #parts: LocalQueueParts
  #work: QueueWork | undefined
  #free = 0
  #isHandingOut = false
  #wasWoken = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: LocalQueueParts) {
    this.#parts = parts
  }

  enqueue(): Promise<void> {
    return Promise.resolve()
  }

  wake(): void {
    this.#wasWoken = true
    if (!this.#isHandingOut) void this.#handOut()
  }

  start(work: QueueWork, concurrency: number): Promise<void> {
    this.#work = work
    this.#free = concurrency
    this.#timer = setInterval(() => this.wake(), lookEvery).unref()
    this.wake()
    return Promise.resolve()
  }

  close(): Promise<void> {
    clearInterval(this.#timer)
    this.#work = undefined
    return Promise.resolve()
  }

  /** One at a time, so that two looks never see the same head. */
  async #handOut(): Promise<void> {
    this.#isHandingOut = true
    try {
      while (this.#wasWoken) {
        this.#wasWoken = false
        await this.#fillFreeSlots()
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the line of jobs cannot be read')
    } finally {
      this.#isHandingOut = false
    }
  }

  /** Ends when all slots are busy, the queue is empty or closed, or its first job cannot be claimed. */
  async #fillFreeSlots(): Promise<void> {
    let unclaimed: Ticket | undefined
    while (this.#free > 0) {
      const ticket = await this.#parts.first()
      const work = this.#work
      if (work === undefined || ticket === undefined) return
      // Still the first after it could not be claimed: trying again at once would go on for ever. The next wake tries again.
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
