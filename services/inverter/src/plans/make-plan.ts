import { optimise, type Block, type Optimum } from './optimiser/optimise.ts'
import type { Action } from './optimiser/site.ts'
import type { Solve } from './optimiser/solver.ts'
import { quarterMs } from './quarters/quarters.ts'
import { reasonOf } from './reasons.ts'
import type { Plan, PlanBlock, PlanSettings, PlanStep } from './schema.ts'
import { siteOf, valuesOf, type DeviceFacts, type PlanInput, type TimedSite } from './site-of.ts'

/** What is worth a command to the inverter, in the money of the tariff, and how wrong forecasts of the sun are. */
const worth = { minGain: 0.05, suns: [0.6, 1, 1.4] }

/** Targets that dispatch takes, percent. */
const targets = { min: 5, max: 95 } as const

/** Makes a plan from this moment on. Resolves to undefined when the price of this moment is not known. */
export async function makePlan(input: PlanInput, solve: Solve): Promise<Plan | undefined> {
  const timed = siteOf(input)
  if (timed === undefined) return undefined
  const optimum = await optimise(timed.site, worth, solve)
  const until = (timed.times[0] ?? input.now) + timed.known * quarterMs
  return {
    made_at: new Date(input.now).toISOString(),
    until: new Date(until).toISOString(),
    currency: input.settings.currency,
    expected_cost: cents(costUntil(optimum, 'course', timed)),
    expected_cost_without: cents(costUntil(optimum, 'automatic', timed)),
    blocks: optimum.blocks
      .filter(({ from }) => from < timed.known)
      .map((block) => planBlock(block, { input, timed, optimum })),
    steps: timed.times.slice(0, timed.known).map((_, index) => planStep(index, { input, timed, optimum })),
  }
}

interface PlanContext {
  readonly input: PlanInput
  readonly timed: TimedSite
  readonly optimum: Optimum
}

/** Cost of the steps whose prices are known, less the worth of what is stored then as the rest of the course uses it. */
function costUntil(optimum: Optimum, name: 'course' | 'automatic', { known }: TimedSite): number {
  const sum = (course: Optimum['course'], until: number) =>
    course.steps.slice(0, until).reduce((total, { cost }) => total + cost, 0)
  const own = sum(optimum[name], known)
  // What happens after the known prices is a guess that both courses share, but for what is stored.
  const after = optimum[name].total - own
  const afterWithout = optimum.automatic.total - sum(optimum.automatic, known)
  return own + (after - afterWithout)
}

function planBlock(block: Block, { input, timed, optimum }: PlanContext): PlanBlock {
  const until = Math.min(block.until, timed.known)
  const steps = timed.site.steps.slice(block.from, until)
  const powers = optimum.course.steps.slice(block.from, until).map(({ batteryW }) => batteryW[block.battery] ?? 0)
  const energy = powers.reduce((sum, watts, index) => sum + Math.abs(watts) * (steps[index]?.hours ?? 0), 0)
  const timeOf = (index: number) => clockTime(timed.times[index] ?? 0, input.zone)
  const device = input.devices[block.battery]
  return {
    device_id: device?.id ?? '',
    // The first step is already under way.
    start: new Date(timed.times[block.from] ?? input.now).toISOString(),
    end: new Date((timed.times[until - 1] ?? input.now) + quarterMs).toISOString(),
    action: block.action.kind,
    power_w: 'watts' in block.action ? Math.round(block.action.watts) : null,
    target_soc_percent: device === undefined ? null : targetOf(block.action, input.settings, device),
    energy_wh: Math.round(energy),
    saving: cents(block.gain),
    reason: reasonOf(block, { site: timed.site, timeOf }),
    is_by_hand: block.isWanted,
  }
}

function targetOf(action: Action, settings: PlanSettings, { id, capacityWh, minSoc }: DeviceFacts): number | null {
  const { full_percent: full, reserve_percent: reserve } = valuesOf(settings, id)
  const within = (percent: number) => Math.round(Math.max(targets.min, Math.min(targets.max, percent)) * 10) / 10
  if (action.kind === 'charge') return within(Math.min(full, (action.untilWh / capacityWh) * 100))
  // The inverter stops at its own lowest state of charge, whatever the settings say.
  return action.kind === 'discharge' ? within(Math.max(reserve, minSoc * 100)) : null
}

function planStep(index: number, { input, timed, optimum }: PlanContext): PlanStep {
  const step = timed.site.steps[index]
  const course = optimum.course.steps[index]
  const without = optimum.automatic.steps[index]
  const all = input.devices.reduce((sum, { capacityWh }) => sum + capacityWh, 0)
  const sumOf = (values: readonly number[] = []) => values.reduce((sum, value) => sum + value, 0)
  const batteries = input.devices.map(({ id, capacityWh }, number) => ({
    device_id: id,
    action: optimum.actions[index]?.[number]?.kind ?? ('automatic' as const),
    battery_w: Math.round(course?.batteryW[number] ?? 0),
    soc_percent: percentOf(course?.storedWh[number] ?? 0, capacityWh),
  }))
  return {
    start: new Date(timed.times[index] ?? 0).toISOString(),
    action: precedence.find((action) => batteries.some((battery) => battery.action === action)) ?? 'automatic',
    battery_w: Math.round(sumOf(course?.batteryW)),
    soc_percent: percentOf(sumOf(course?.storedWh), all),
    soc_percent_without: percentOf(sumOf(without?.storedWh), all),
    pv_w: Math.round(step?.pvW ?? 0),
    load_w: Math.round(step?.loadW ?? 0),
    grid_w: Math.round(course?.gridW ?? 0),
    buy: tenThousandths(step?.buy ?? 0),
    sell: tenThousandths(step?.sell ?? 0),
    batteries,
  }
}

/** What a step with several batteries is named after. */
const precedence = ['charge', 'discharge', 'hold'] as const

const percentOf = (wh: number, capacityWh: number): number => Math.round((wh / capacityWh) * 1000) / 10

/** The time of a zone, `18:00`. */
function clockTime(ms: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' })
}

const cents = (value: number): number => Math.round(value * 1000) / 1000

const tenThousandths = (value: number): number => Math.round(value * 10_000) / 10_000
