import type { DataUpstream } from './data-config.ts'
import { Figure, FailureCode } from './shared-state.ts'

const streakThatIsDown = 3
const probeEveryMs = 1000

/**
 * Health of each upstream, in shared memory. The first healthy one of a group is queried; an unhealthy one is probed once a
 * second, by a query for its group, until it answers.
 */
export class UpstreamHealth {
  readonly #figures: Float64Array
  #groups: readonly (readonly number[])[] = []

  constructor(figures: Float64Array) {
    this.#figures = figures
  }

  /** These are the upstreams now, and the groups they are chosen from. What is known of those that stay is kept if `isChange`. */
  use(
    upstreams: readonly Pick<DataUpstream, 'before'>[],
    groups: readonly (readonly number[])[],
    isChange: boolean,
  ): void {
    const known = this.#figures.slice()
    this.#figures.fill(0)
    this.#groups = groups
    if (!isChange) return
    for (const [upstream, { before }] of upstreams.entries()) {
      if (before < 0) continue
      const figures = known.subarray(before * Figure.count, (before + 1) * Figure.count)
      this.#figures.set(figures, upstream * Figure.count)
    }
  }

  /** The best one of a group that is not among `tried` (a bit for each place in the group); -1 when all were. */
  choose(group: number, tried: number): number {
    const members = this.#groups[group]
    if (members === undefined) return -1
    let down = -1
    for (let place = 0; place < members.length; place++) {
      if ((tried & (1 << place)) !== 0) continue
      const upstream = members[place]!
      if (this.#figures[upstream * Figure.count + Figure.isDown] === 0) return upstream
      if (down < 0) down = upstream
    }
    return down
  }

  /** The bit of an upstream of a group among those that were tried; 0 for one that only stands in for another. */
  bitOf(group: number, upstream: number): number {
    const place = this.#groups[group]?.indexOf(upstream) ?? -1
    return place < 0 ? 0 : 1 << place
  }

  /** An unhealthy upstream of a group to probe now; -1 for none. */
  toProbe(group: number, now: number): number {
    const members = this.#groups[group]
    if (members === undefined) return -1
    for (let place = 0; place < members.length; place++) {
      const upstream = members[place]!
      const at = upstream * Figure.count
      if (this.#figures[at + Figure.isDown] === 0) continue
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
    this.#figures[at + Figure.failingSince] = 0
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
    if (streak === 1) this.#figures[at + Figure.failingSince] = performance.timeOrigin + now
    if (streak < streakThatIsDown && code !== FailureCode.unreachable) return
    if (this.#figures[at + Figure.isDown] === 0) this.#figures[at + Figure.lastProbeAt] = now
    this.#figures[at + Figure.isDown] = 1
  }
}
