import type { Site, Step } from '../../src/plans/optimiser/site.ts'

/** Contents of the battery that are looked at. */
const levels = 361

/**
 * The lowest cost of a site with one battery, less the value of what is stored at the end, by a dynamic programme over a fine
 * grid of contents. It shares nothing with the optimiser but the description of the site. A little above the exact optimum,
 * because it reaches the contents of the grid alone.
 */
export function lowestCost(site: Site): number {
  const [battery] = site.batteries
  if (battery === undefined) throw new Error('the programme needs a battery')
  const low = Math.min(battery.reserveWh, battery.storedWh)
  const stepWh = (battery.fullWh - low) / (levels - 1)
  let costs = Float64Array.from({ length: levels }, (_, level) => (-(low + level * stepWh) / 1000) * site.endValue)
  for (const step of site.steps.toReversed()) {
    const next = costs
    const byChange = costsOfChanges(site, step, stepWh)
    costs = Float64Array.from({ length: levels }, (_, level) => {
      let best = Infinity
      for (const [change, cost] of byChange) {
        const reached = level + change
        if (reached < 0 || reached >= levels) continue
        best = Math.min(best, cost + at(next, reached))
      }
      return best
    })
  }
  return at(costs, (battery.storedWh - low) / stepWh)
}

/** The value at a level, between two of them in proportion. */
function at(costs: Float64Array, level: number): number {
  const below = Math.floor(level)
  const share = level - below
  const low = costs[below] ?? Infinity
  return share === 0 ? low : low * (1 - share) + (costs[below + 1] ?? Infinity) * share
}

/** Changes of the content that a step allows, in levels, and what each costs. */
function costsOfChanges({ batteries: [battery], feedInLimitW }: Site, step: Step, stepWh: number): [number, number][] {
  if (battery === undefined) return []
  const { hours, loadW, pvW, buy, sell } = step
  const net = loadW - pvW
  const most = Math.floor((battery.chargeW * hours * battery.chargeEfficiency) / stepWh)
  const least = (Math.min(battery.dischargeW, Math.max(0, net)) * hours) / battery.dischargeEfficiency / stepWh
  const changes = Array.from({ length: most + Math.floor(least) + 1 }, (_, index) => index - Math.floor(least))
  // What the house takes exactly, what the sun leaves exactly, and as much as flows at all are seldom on the grid.
  const surplus = (Math.max(0, -net) * hours * battery.chargeEfficiency) / stepWh
  const exact = [-least, surplus, (battery.chargeW * hours * battery.chargeEfficiency) / stepWh]
  return [...changes, ...exact.filter((change) => change <= most + 1)].map((change) => {
    const wh = change * stepWh
    const battW = (wh < 0 ? wh * battery.dischargeEfficiency : wh / battery.chargeEfficiency) / hours
    const grid = Math.max(net + battW, -(feedInLimitW ?? Infinity))
    const wear = (Math.max(0, -battW) * hours * battery.wear) / 1000
    return [change, (grid * hours * (grid > 0 ? buy : sell)) / 1000 + wear]
  })
}
