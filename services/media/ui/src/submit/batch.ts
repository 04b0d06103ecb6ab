import { useSyncExternalStore } from 'react'

/** One address of a batch and its outcome. */
export interface BatchItem {
  address: string
  state: 'waiting' | 'sending' | 'added' | 'duplicate' | 'failed'
  /** The job that was made, or the one that is there already. */
  jobId?: string
  title?: string | null
  /** Reason of the failure. */
  message?: string
}

/** Several addresses on their way. */
export interface BatchState {
  items: readonly BatchItem[]
  isRunning: boolean
  /** Time from which the server accepts the next one, milliseconds of `Date.now()`. */
  pausedUntil: number | undefined
}

/** Result of one URL. */
export type Submitted =
  | { kind: 'added' | 'duplicate'; jobId: string; title: string | null }
  | { kind: 'failed'; message: string }
  | { kind: 'pause'; seconds: number }

const nothing: BatchState = { items: [], isRunning: false, pausedUntil: undefined }

/** Submits one URL; `isConfirmed` when a person accepts a duplicate. */
type Submit = (address: string, isConfirmed: boolean) => Promise<Submitted>

/** Submits addresses one after the other, pausing when the server asks for it. */
export class Batch {
  readonly #pause: (seconds: number, signal: AbortSignal) => Promise<void>
  readonly #now: () => number
  readonly #listeners = new Set<() => void>()
  readonly #confirmed = new Set<string>()
  #state = nothing
  #submit: Submit = () => Promise.resolve({ kind: 'failed', message: '' })
  #stopper = new AbortController()

  /** @param pause waits for so many seconds, or until the signal ends it */
  constructor(pause: (seconds: number, signal: AbortSignal) => Promise<void>, now: () => number = Date.now) {
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

  /** Takes on addresses and begins; `submit` is what happens with each. */
  start(addresses: readonly string[], submit: Submit): void {
    this.#submit = submit
    this.#set({ items: addresses.map((address) => ({ address, state: 'waiting' })) })
    this.#begin()
  }

  /** Submits one that is there already all the same. */
  again(address: string): void {
    this.#confirmed.add(address)
    this.#setItem(address, { state: 'waiting' })
    this.#begin()
  }

  /** Leaves out what was not sent yet. */
  stop(): void {
    this.#stopper.abort()
    const items = this.#state.items.filter((item) => item.state !== 'waiting')
    this.#set({ items, isRunning: false, pausedUntil: undefined })
  }

  /** Forgets everything. */
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

/** The batch of this page; it goes on while other pages of the service are looked at. */
export const batch = new Batch(
  (seconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
)

/** State of the batch; renders again when it changes. */
export function useBatch(): BatchState {
  return useSyncExternalStore(
    (listener) => batch.subscribe(listener),
    () => batch.state(),
  )
}
