import { createRandom } from '@hearth/testing'
import type { Battery, Site, Step } from '../../src/plans/optimiser/site.ts'

/** A battery of ten kilowatt-hours. */
export const battery: Battery = {
  storedWh: 3000,
  reserveWh: 1000,
  emptyWh: 1000,
  fullWh: 10_000,
  chargeUntilWh: 10_000,
  chargeW: 4000,
  dischargeW: 4000,
  chargeEfficiency: 0.95,
  dischargeEfficiency: 0.95,
  wear: 0.01,
}

/** A day of quarter hours: its sun, its prices with two peaks and now and then a negative hour, its house. */
export function seededDay(seed: number): Site {
  const random = createRandom(seed)
  const sun = random() * 7000
  const level = 0.1 + random() * 0.25
  const swing = random() * 0.2
  const feedIn = random() < 0.5 ? 0.08 : random() * 0.2
  const isOdd = random() < 0.2
  const steps = Array.from({ length: 96 }, (_, index): Step => {
    const hour = index / 4
    const noise = random() - 0.5
    const peaks = Math.exp(-(((hour - 8) / 2) ** 2)) + 1.3 * Math.exp(-(((hour - 19) / 2.5) ** 2))
    const dip = isOdd ? 0.3 * Math.exp(-(((hour - 13) / 1.5) ** 2)) : 0
    return {
      hours: 0.25,
      loadW: Math.round(300 + 900 * random() ** 3 + 900 * Math.exp(-(((hour - 19) / 2) ** 2))),
      pvW: Math.round(Math.max(0, sun * Math.sin(((hour - 6) / 13) * Math.PI) * (0.6 + 0.4 * random()))),
      buy: Number((level + swing * (peaks - 0.5) - dip + 0.02 * noise).toFixed(4)),
      sell: feedIn,
    }
  })
  return {
    steps,
    batteries: [{ ...battery, storedWh: 1000 + Math.round(random() * 9000), wear: random() * 0.03 }],
    gridLimitW: null,
    feedInLimitW: random() < 0.3 ? 3000 : null,
    endValue: level * 0.8,
  }
}
