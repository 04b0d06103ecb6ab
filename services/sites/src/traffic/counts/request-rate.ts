import type { Clock } from '@hearth/runtime'

const seconds = 10

/** Creates the count of requests per second: the mean of the last ten whole seconds. Lines read late do not count, so that catching up is no peak. */
export function createRequestRate(clock: Clock) {
  const slots = Array.from({ length: seconds + 2 }, () => ({ second: 0, count: 0 }))
  return {
    /** Counts a request that was answered at a time in milliseconds. */
    add(at: number): void {
      const second = Math.floor(at / 1000)
      const slot = slots[second % slots.length]
      if (slot === undefined || second < slot.second) return
      if (second > slot.second) {
        slot.second = second
        slot.count = 0
      }
      slot.count += 1
    },
    perSecond(): number {
      const current = Math.floor(clock.now() / 1000)
      let sum = 0
      for (const { second, count } of slots) if (second < current && second >= current - seconds) sum += count
      return sum / seconds
    },
  }
}
