/** One address of a batch and what came of it. */
export interface BatchItem {
  address: string
  state: 'waiting' | 'sending' | 'added' | 'duplicate' | 'failed'
  /** The job that was made, or the one that is there already. */
  jobId?: string
  title?: string | null
  /** Why it failed. */
  message?: string
}

/** Several addresses on their way. */
export interface BatchState {
  items: readonly BatchItem[]
  isRunning: boolean
  /** When the server takes the next one, milliseconds of `Date.now()`, while it asked for a pause. */
  pausedUntil: number | undefined
}

/** How one address went. */
export type Submitted =
  | { kind: 'added' | 'duplicate'; jobId: string; title: string | null }
  | { kind: 'failed'; message: string }
  | { kind: 'pause'; seconds: number }

/** Submits addresses one after the other, pausing when the server asks for it. */
export interface Batch {
  state(): BatchState
  subscribe(listener: () => void): () => void
  /** Takes on addresses and begins; `submit` is what happens with each. */
  start(addresses: readonly string[], submit: Submit): void
  /** Submits one that is there already all the same. */
  again(address: string): void
  /** Leaves out what was not sent yet. */
  stop(): void
  /** Forgets everything. */
  clear(): void
}

const nothing: BatchState = { items: [], isRunning: false, pausedUntil: undefined }

/** What happens with one address; `isConfirmed` when a person wants it though it is there already. */
type Submit = (address: string, isConfirmed: boolean) => Promise<Submitted>

/** One batch at a time. `pause` waits for so many seconds, or until the signal ends it. */
export function createBatch(
  pause: (seconds: number, signal: AbortSignal) => Promise<void>,
  now: () => number = Date.now,
): Batch {
  return new AddressBatch(pause, now)
}

class AddressBatch implements Batch {
  readonly #pause: (seconds: number, signal: AbortSignal) => Promise<void>
  readonly #now: () => number
  readonly #listeners = new Set<() => void>()
  readonly #confirmed = new Set<string>()
  #state = nothing
  #submit: Submit = () => Promise.resolve({ kind: 'failed', message: '' })
  #stopper = new AbortController()

  constructor(pause: (seconds: number, signal: AbortSignal) => Promise<void>, now: () => number) {
    this.#pause = pause
    this.#now = now
  }

  state(): BatchState {
    return this.#state
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  start(addresses: readonly string[], submit: Submit): void {
    this.#submit = submit
    this.#set({ items: addresses.map((address) => ({ address, state: 'waiting' })) })
    this.#begin()
  }

  again(address: string): void {
    this.#confirmed.add(address)
    this.#setItem(address, { state: 'waiting' })
    this.#begin()
  }

  stop(): void {
    this.#stopper.abort()
    const items = this.#state.items.filter((item) => item.state !== 'waiting')
    this.#set({ items, isRunning: false, pausedUntil: undefined })
  }

  clear(): void {
    this.#stopper.abort()
    this.#confirmed.clear()
    this.#set(nothing)
  }

  #begin(): void {
    if (this.#state.isRunning) return
    this.#stopper = new AbortController()
    void this.#run(this.#stopper.signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#set({ isRunning: true })
    for (;;) {
      const next = this.#state.items.find((item) => item.state === 'waiting')
      if (next === undefined || signal.aborted) break
      await this.#send(next.address, signal)
    }
    if (!signal.aborted) this.#set({ isRunning: false })
  }

  async #send(address: string, signal: AbortSignal): Promise<void> {
    this.#setItem(address, { state: 'sending' })
    const result = await this.#submit(address, this.#confirmed.has(address))
    if (result.kind !== 'pause') {
      const { kind, ...facts } = result
      return this.#setItem(address, { state: kind, ...facts })
    }
    this.#setItem(address, { state: 'waiting' })
    this.#set({ pausedUntil: this.#now() + result.seconds * 1000 })
    await this.#pause(result.seconds, signal)
    if (!signal.aborted) this.#set({ pausedUntil: undefined })
  }

  #set(next: Partial<BatchState>): void {
    this.#state = { ...this.#state, ...next }
    for (const listener of this.#listeners) listener()
  }

  #setItem(address: string, next: Partial<BatchItem>): void {
    this.#set({ items: this.#state.items.map((item) => changed(item, address, next)) })
  }
}

const changed = (item: BatchItem, address: string, next: Partial<BatchItem>): BatchItem =>
  item.address === address ? { ...item, ...next } : item
