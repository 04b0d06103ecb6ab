import type { Clock } from '@hearth/runtime'

/** Requests a second, now. */
export interface RequestRate {
  /** Counts a request that was answered at a moment, milliseconds. */
  add(at: number): void
  perSecond(): number
}

const seconds = 10

/** Mean of the last ten whole seconds. Late news of older requests does not count, so catching up is no peak. */
export function createRequestRate(clock: Clock): RequestRate {
  const slots = Array.from({ length: seconds + 2 }, () => ({ second: 0, count: 0 }))
  return {
    add(at) {
      const second = Math.floor(at / 1000)
      const slot = slots[second % slots.length]
      if (slot === undefined || second < slot.second) return
      if (second > slot.second) {
        slot.second = second
        slot.count = 0
      }
      slot.count += 1
    },
    perSecond() {
      const current = Math.floor(clock.now() / 1000)
      let sum = 0
      for (const { second, count } of slots) if (second < current && second >= current - seconds) sum += count
      return sum / seconds
    },
  }
}
