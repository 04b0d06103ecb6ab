import { Figure, FailureCode } from './shared-state.ts'

const streakThatIsDown = 3
const probeEveryMs = 1000

/**
 * Health of each upstream, in shared memory. The first healthy one in order is queried; an unhealthy one is probed once a
 * second until it answers.
 */
export class UpstreamHealth {
  readonly #figures: Float64Array
  #fallbacks = 0
  #count = 0

  constructor(figures: Float64Array) {
    this.#figures = figures
  }

  /** These are the upstreams now; true for one that only stands in for another. Nothing is known of them yet. */
  use(fallbacks: readonly boolean[]): void {
    this.#figures.fill(0)
    this.#count = fallbacks.length
    this.#fallbacks = 0
    for (const [upstream, isFallback] of fallbacks.entries()) if (isFallback) this.#fallbacks |= 1 << upstream
  }

  /** The best one that is not among `tried` (a bit each); -1 when all were. */
  choose(tried: number): number {
    const out = tried | this.#fallbacks
    let down = -1
    for (let upstream = 0; upstream < this.#count; upstream++) {
      if ((out & (1 << upstream)) !== 0) continue
      if (this.#figures[upstream * Figure.count + Figure.isDown] === 0) return upstream
      if (down < 0) down = upstream
    }
    return down
  }

  /** An unhealthy upstream to probe now; -1 for none. */
  toProbe(now: number): number {
    for (let upstream = 0; upstream < this.#count; upstream++) {
      const at = upstream * Figure.count
      if (this.#figures[at + Figure.isDown] === 0 || (this.#fallbacks & (1 << upstream)) !== 0) continue
      if (now - this.#figures[at + Figure.lastProbeAt]! < probeEveryMs) continue
      this.#figures[at + Figure.lastProbeAt] = now
      return upstream
    }
    return -1
  }

  countQuery(upstream: number): void {
    this.#figures[upstream * Figure.count + Figure.queries]! += 1
  }

  /** Records an answer to a query sent at `sentAt`. */
  answered(upstream: number, sentAt: number, now: number): void {
    const at = upstream * Figure.count
    const average = this.#figures[at + Figure.average]!
    const taken = now - sentAt
    this.#figures[at + Figure.average] = average === 0 ? Math.max(taken, 0.01) : average + (taken - average) / 8
    this.#figures[at + Figure.streak] = 0
    this.#figures[at + Figure.isDown] = 0
    this.#figures[at + Figure.lastAnswerAt] = now
  }

  /** Records a query without a usable answer. */
  countFailure(upstream: number): void {
    this.#figures[upstream * Figure.count + Figure.failures]! += 1
  }

  /** It did not answer what was sent at `sentAt` (a `FailureCode` says how). Counts against it unless it answered others since. */
  failed(upstream: number, sentAt: number, now: number, code: number): void {
    const at = upstream * Figure.count
    this.#figures[at + Figure.lastFailure] = code
    if (code === FailureCode.refused || this.#figures[at + Figure.lastAnswerAt]! > sentAt) return
    const streak = (this.#figures[at + Figure.streak]! += 1)
    if (streak < streakThatIsDown && code !== FailureCode.unreachable) return
    if (this.#figures[at + Figure.isDown] === 0) this.#figures[at + Figure.lastProbeAt] = now
    this.#figures[at + Figure.isDown] = 1
  }
}
