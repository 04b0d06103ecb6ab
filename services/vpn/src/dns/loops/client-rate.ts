const slots = 16_384
const probes = 8

/**
 * Limit of queries per client: a bucket each, filled with `perSecond` tokens a second, holding one second's worth. Memory
 * is fixed: of more than 16,384 clients at a time, those that were quiet longest start afresh.
 */
export class ClientRate {
  readonly #clients = new Int32Array(slots)
  readonly #tokens = new Float64Array(slots)
  readonly #at = new Float64Array(slots)
  #perSecond: number

  /** 0 for no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  limit(perSecond: number): void {
    this.#perSecond = perSecond
  }

  /** Returns true if the client (not 0) may query now. `now` in milliseconds, never running back. */
  take(client: number, now: number): boolean {
    const perSecond = this.#perSecond
    if (perSecond === 0) return true
    const slot = this.#slotOf(client)
    const fresh = this.#clients[slot] !== client
    const filled = fresh ? perSecond : this.#tokens[slot]! + ((now - this.#at[slot]!) * perSecond) / 1000
    const tokens = filled > perSecond ? perSecond : filled
    this.#clients[slot] = client
    this.#at[slot] = now
    this.#tokens[slot] = tokens >= 1 ? tokens - 1 : tokens
    return tokens >= 1
  }

  #slotOf(client: number): number {
    const first = Math.imul(client, 0x9e37_79b1) >>> 18
    let quietest = first
    for (let n = 0; n < probes; n++) {
      const slot = (first + n) & (slots - 1)
      if (this.#clients[slot] === client || this.#clients[slot] === 0) return slot
      if (this.#at[slot]! < this.#at[quietest]!) quietest = slot
    }
    return quietest
  }
}
