import { ModelBuilder, type LinearModel, type Term } from './linear-model.ts'
import { netLoad, type Battery, type Site, type Step } from './site.ts'

/** Cost of a kilowatt-hour above the limit of the grid connection: so high that only a load that is above it by itself pays it. */
const overloadCost = 100

/**
 * Advantage of flowing now rather than at the end, per kilowatt-hour: of plans that cost the same, the one is taken that
 * stores and uses energy early, as an inverter does by itself.
 */
const earlyBonus = 1e-5

/** Columns are in kilowatts and kilowatt-hours, costs in hundredths: solvers work best with numbers near one. */
const kilo = 1000
const scale = 100

/** A linear model of a site, and where its solution has the flows of the batteries. */
export interface BatteryModel {
  readonly model: LinearModel
  /** By battery, then step: columns of charging and discharging, kilowatts. */
  readonly charge: readonly (readonly number[])[]
  readonly discharge: readonly (readonly number[])[]
}

/** The batteries of a site while the model is put together. */
interface Draft {
  readonly site: Site
  readonly builder: ModelBuilder
  readonly charge: number[][]
  readonly discharge: number[][]
  readonly stored: number[][]
}

/**
 * Returns the costs of a site as a linear model. Batteries discharge into the house and not into the grid. Where prices make
 * it pay to charge and discharge at once, or to buy and sell at once, a whole number forbids it.
 */
export function batteryModel(site: Site): BatteryModel {
  const builder = new ModelBuilder()
  const each = (): number[][] => site.batteries.map(() => [])
  const draft: Draft = { site, builder, charge: each(), discharge: each(), stored: each() }
  for (const [index, step] of site.steps.entries()) {
    for (const [number, battery] of site.batteries.entries()) addBattery(draft, { number, battery, index, step })
    addFlows(draft, step, index)
  }
  return { model: builder.build(), charge: draft.charge, discharge: draft.discharge }
}

interface Place {
  readonly number: number
  readonly battery: Battery
  readonly index: number
  readonly step: Step
}

/** What a person set is worth more than any price. */
const wish = 50

function addBattery(
  { site, builder, charge, discharge, stored }: Draft,
  { number, battery, index, step }: Place,
): void {
  const { hours, buy } = step
  const wanted = step.wanted?.[number]
  const { steps, endValue, batteries } = site
  // Of equal batteries the first flows first, as the automatic mode is counted.
  const bonus = earlyBonus * (1 - index / steps.length) * (1 - number / (2 * batteries.length))
  const deficitW = Math.max(0, netLoad(step))
  const mostC = wanted === 'hold' || wanted === 'discharge' ? 0 : battery.chargeW / kilo
  const automaticC = Math.min(mostC, Math.max(0, -netLoad(step)) / kilo)
  const mostD = wanted === 'hold' || wanted === 'charge' ? 0 : Math.min(battery.dischargeW, deficitW) / kilo
  const wishC = wanted === 'charge' || wanted === 'automatic' ? wish : 0
  const wishD = wanted === 'discharge' || wanted === 'automatic' ? wish : 0
  const c = builder.column({
    cost: -hours * scale * (bonus + wishC),
    upper: wanted === 'automatic' ? automaticC : mostC,
  })
  const d = builder.column({ cost: hours * scale * (battery.wear - bonus - wishD), upper: mostD })
  const s = builder.column({
    cost: index === steps.length - 1 ? -scale * endValue : 0,
    lower: Math.min(battery.reserveWh, battery.storedWh) / kilo,
    upper: Math.max(battery.fullWh, battery.storedWh) / kilo,
  })
  const before = stored[number]?.at(-1)
  const terms: Term[] = [
    [s, 1],
    [c, -hours * battery.chargeEfficiency],
    [d, hours / battery.dischargeEfficiency],
  ]
  const begin = before === undefined ? battery.storedWh / kilo : 0
  if (before !== undefined) terms.push([before, -1])
  builder.row(terms, begin, begin)
  if (buy < 0 && mostD > 0) forbidBoth(builder, [c, mostC], [d, mostD])
  charge[number]?.push(c)
  discharge[number]?.push(d)
  stored[number]?.push(s)
}

/** Allows one of two columns, each with its largest value. */
function forbidBoth(builder: ModelBuilder, [a, mostA]: Term, [b, mostB]: Term): void {
  const isA = builder.column({ upper: 1, isWhole: true })
  builder.row(
    [
      [a, 1],
      [isA, -mostA],
    ],
    -Infinity,
    0,
  )
  builder.row(
    [
      [b, 1],
      [isA, mostB],
    ],
    -Infinity,
    mostB,
  )
}

/** Adds what is bought, sold and not produced in a step, and that it goes with what house and batteries take. */
function addFlows({ site, builder, charge, discharge }: Draft, step: Step, index: number): void {
  const { hours, buy, sell } = step
  const netKw = netLoad(step) / kilo
  const surplus = Math.max(0, -netKw)
  const chargeKw = site.batteries.reduce((sum, { chargeW }) => sum + chargeW / kilo, 0)
  const limit = site.gridLimitW === null ? Infinity : site.gridLimitW / kilo
  // While the sun gives more than the house takes, only a charge beyond the surplus is bought.
  const mostBought = surplus > 0 ? Math.max(0, chargeKw - surplus) : Infinity
  const bought = builder.column({ cost: hours * scale * buy, upper: Math.min(limit, mostBought) })
  const above =
    limit === Infinity ? undefined : builder.column({ cost: hours * scale * (Math.abs(buy) + overloadCost) })
  const feedIn = Math.min(surplus, site.feedInLimitW === null ? Infinity : site.feedInLimitW / kilo)
  const sold = builder.column({ cost: -hours * scale * sell, upper: feedIn })
  // A negative price is no reason to produce less: nothing tells the inverter.
  const unused = builder.column({ cost: hours * scale * Math.max(0, -sell), upper: surplus })
  const charges = charge.map((columns): Term => [columns[index] ?? 0, -1])
  const discharges = discharge.map((columns): Term => [columns[index] ?? 0, 1])
  const terms: Term[] = [[bought, 1], [sold, -1], [unused, -1], ...charges, ...discharges]
  if (above !== undefined) terms.push([above, 1])
  builder.row(terms, netKw, netKw)
  if (netKw > 0 && discharges.length > 1) builder.row(discharges, -Infinity, netKw)
  // Those that decide themselves share the surplus, and never buy.
  const automatic = charge.flatMap((columns, number): Term[] =>
    step.wanted?.[number] === 'automatic' ? [[columns[index] ?? 0, 1]] : [],
  )
  if (automatic.length > 1) builder.row(automatic, -Infinity, surplus)
  if (surplus === 0 || mostBought === 0) return
  if (sell > buy || buy < 0) forbidBoth(builder, [bought, mostBought], [sold, surplus])
  if (buy < 0) forbidBoth(builder, [bought, mostBought], [unused, surplus])
}
