import type { Battery, Site, Step } from '../../src/plans/optimiser/site.ts'

/** Contents of each battery that are looked at. */
const levels = 61

/** A change of a battery's content in a step: levels, and the power at its terminals, watts; discharge is positive. */
interface Change {
  readonly levels: number
  readonly watts: number
}

/** A battery on its grid of contents. */
interface Grid {
  readonly battery: Battery
  readonly low: number
  readonly stepWh: number
}

/**
 * The lowest cost of a site with two batteries, less the value of what is stored at the end, by a dynamic programme over both
 * contents at once. As `lowestCost` it shares nothing with the optimiser but the description of the site, and is a little above
 * the exact optimum, because it reaches the contents of the grid alone.
 */
export function lowestCostOfTwo(site: Site): number {
  const [first, second] = site.batteries.map(gridOf)
  if (first === undefined || second === undefined) throw new Error('the programme needs two batteries')
  const valueOf = ({ low, stepWh }: Grid, level: number) => -((low + level * stepWh) / 1000) * site.endValue
  let costs: Float64Array = Float64Array.from({ length: levels * levels }, (_, index) => {
    return valueOf(first, Math.floor(index / levels)) + valueOf(second, index % levels)
  })
  for (const step of site.steps.toReversed()) costs = costsBefore(site, step, { grids: [first, second], next: costs })
  const levelOf = ({ battery, low, stepWh }: Grid) => (battery.storedWh - low) / stepWh
  return at(costs, levelOf(first), levelOf(second))
}

function gridOf(battery: Battery): Grid {
  const low = Math.min(battery.reserveWh, battery.storedWh)
  return { battery, low, stepWh: (battery.fullWh - low) / (levels - 1) }
}

function costsBefore(
  site: Site,
  step: Step,
  { grids: [first, second], next }: { grids: readonly [Grid, Grid]; next: Float64Array },
): Float64Array {
  const [ofFirst, ofSecond] = [changesOf(first, step), changesOf(second, step)]
  const net = step.loadW - step.pvW
  const pairs = ofFirst.flatMap((a) =>
    ofSecond.flatMap((b) => {
      const discharged = Math.max(0, a.watts) + Math.max(0, b.watts)
      // Batteries cover the house, and feed nothing into the grid.
      if (discharged > Math.max(0, net) + 1e-6) return []
      const grid = Math.max(net - a.watts - b.watts, -(site.feedInLimitW ?? Infinity))
      const energy = (grid * step.hours * (grid > 0 ? step.buy : step.sell)) / 1000
      const wear = [a, b].map(
        ({ watts }, index) => (Math.max(0, watts) * step.hours * (site.batteries[index]?.wear ?? 0)) / 1000,
      )
      return [{ a: a.levels, b: b.levels, cost: energy + (wear[0] ?? 0) + (wear[1] ?? 0) }]
    }),
  )
  const costs = new Float64Array(levels * levels)
  for (let one = 0; one < levels; one += 1)
    for (let other = 0; other < levels; other += 1) {
      let best = Infinity
      for (const { a, b, cost } of pairs) {
        const [reached, otherReached] = [one + a, other + b]
        if (reached < 0 || reached > levels - 1 || otherReached < 0 || otherReached > levels - 1) continue
        const total = cost + at(next, reached, otherReached)
        if (total < best) best = total
      }
      costs[one * levels + other] = best
    }
  return costs
}

/** Changes that a step allows a battery alone, with what the house takes and the sun leaves exactly, and halves of them. */
function changesOf({ battery, stepWh }: Grid, { hours, loadW, pvW }: Step): Change[] {
  const net = loadW - pvW
  const charge = (watts: number): Change => {
    return { levels: (watts * hours * battery.chargeEfficiency) / stepWh, watts: -watts }
  }
  const discharge = (watts: number): Change => {
    return { levels: -(watts * hours) / battery.dischargeEfficiency / stepWh, watts }
  }
  const most = Math.floor(charge(battery.chargeW).levels)
  const onGrid = Array.from({ length: most }, (_, index) =>
    charge(((index + 1) * stepWh) / hours / battery.chargeEfficiency),
  )
  const largest = Math.min(battery.dischargeW, Math.max(0, net))
  const down = Math.floor(-discharge(largest).levels)
  const offGrid = Array.from({ length: down }, (_, index) =>
    discharge(((index + 1) * stepWh * battery.dischargeEfficiency) / hours),
  )
  const surplus = Math.min(battery.chargeW, Math.max(0, -net))
  const exact = [charge(surplus), charge(surplus / 2), charge(battery.chargeW)]
  return [{ levels: 0, watts: 0 }, ...onGrid, ...offGrid, ...exact, discharge(largest), discharge(largest / 2)]
}

/** The cost at two contents, between those of the grid in proportion. */
function at(costs: Float64Array, one: number, other: number): number {
  const [row, column] = [Math.floor(one), Math.floor(other)]
  const [down, right] = [one - row, other - column]
  const cost = (a: number, b: number) => costs[Math.min(levels - 1, a) * levels + Math.min(levels - 1, b)] ?? Infinity
  if (down === 0 && right === 0) return cost(row, column)
  const upper = cost(row, column) * (1 - right) + cost(row, column + 1) * right
  if (down === 0) return upper
  return upper * (1 - down) + (cost(row + 1, column) * (1 - right) + cost(row + 1, column + 1) * right) * down
}
