import type { Engine } from '../engine.ts'
import { CacheRecords } from '../cache-records.ts'
import { Shared } from './shared-state.ts'

/** Answers copied out of the cache, and taken in, between two batches: clients wait for no more. */
const answersPerStep = 256

/** A transfer of answers between the data thread's cache and shared memory. */
export interface CacheTransferRequest {
  /** `in`: records to take in. `out`: as many as fit are copied here. */
  readonly way: 'in' | 'out'
  readonly memory: SharedArrayBuffer
  /** Everything at once: the thread ends. */
  readonly isLast?: boolean
}

/** Copies answers out of the cache and takes them in, some at a time. */
export class CacheTransfer {
  readonly #engine: Engine
  readonly #words: Int32Array
  readonly #records: CacheRecords
  #out: Uint8Array | undefined
  #outAt = 0
  #place = 0
  #in: Uint8Array | undefined
  #inAt = 0

  constructor(engine: Engine, words: Int32Array) {
    this.#engine = engine
    this.#words = words
    this.#records = new CacheRecords(engine.key)
  }

  begin({ way, memory, isLast = false }: CacheTransferRequest): void {
    if (way === 'in') {
      this.#in = new Uint8Array(memory)
      this.#inAt = 0
      return
    }
    this.#out = new Uint8Array(memory)
    this.#outAt = 0
    this.#place = 0
    if (!isLast) return
    while (this.#out !== undefined) this.#copyOut()
  }

  /** To be called after every batch. */
  step(): void {
    if (this.#in !== undefined) this.#takeIn()
    if (this.#out !== undefined) this.#copyOut()
  }

  #takeIn(): void {
    const { cache, seconds } = this.#engine
    const given = { now: seconds, limits: this.#engine.limits }
    for (let count = 0; count < answersPerStep && this.#in !== undefined; count++) {
      this.#inAt = this.#records.take(cache, this.#in, this.#inAt, given)
      if (this.#inAt < 0) this.#in = undefined
    }
  }

  #copyOut(): void {
    const { cache, seconds } = this.#engine
    const out = this.#out!
    const stop = Math.min(this.#place + answersPerStep, cache.places)
    for (; this.#place < stop; this.#place++) this.#outAt += cache.copyRecord(this.#place, seconds, out, this.#outAt)
    if (stop < cache.places) return
    this.#out = undefined
    Atomics.store(this.#words, Shared.cacheBytes, this.#outAt + 1)
    Atomics.notify(this.#words, Shared.cacheBytes)
  }
}
