import { netLoad, type Action, type Battery, type Site, type Step } from './site.ts'

/** What one step of a site costs, and how its batteries stand at its end. */
export interface CourseStep {
  /** Mean power of each battery, watts; discharge is positive. */
  readonly batteryW: readonly number[]
  /** Content of each battery at the end of the step. */
  readonly storedWh: readonly number[]
  /** Mean power from the grid, watts; negative into it. */
  readonly gridW: number
  /** Money for energy and wear; negative for income. */
  readonly cost: number
}

/** The course of a site under given actions. */
export interface Course {
  readonly steps: readonly CourseStep[]
  /** Cost of all steps, less the value of what is stored at the end. */
  readonly total: number
}

/** Actions of each step, by battery. */
export type Actions = readonly (readonly Action[])[]

/** The action of an inverter that decides itself. */
export const automatic: Action = { kind: 'automatic' }

/** Returns the actions of inverters that decide themselves. */
export const allAutomatic = ({ steps, batteries }: Site): Actions => steps.map(() => batteries.map(() => automatic))

/** Follows a site through its steps: what each action makes of the batteries, and what it costs. */
export function courseOf(site: Site, actions: Actions): Course {
  let stored = site.batteries.map(({ storedWh }) => storedWh)
  const steps = site.steps.map((step, index) => {
    const powers = powersOf(site.batteries, { step, stored, actions: actions[index] ?? [] })
    stored = site.batteries.map((battery, number) =>
      storedAfter(battery, { storedWh: stored[number] ?? 0, watts: powers[number] ?? 0, hours: step.hours }),
    )
    return costOf(site, step, { powers, stored })
  })
  const left = stored.reduce((sum, wh) => sum + wh, 0) / 1000
  return { steps, total: steps.reduce((sum, { cost }) => sum + cost, 0) - left * site.endValue }
}

/** Who takes first in a step: charges happen whatever the others do, and a discharge covers what is left. */
const passes: readonly (readonly Action['kind'][])[] = [['charge', 'hold'], ['automatic'], ['discharge']]

/** Powers of the batteries in a step, whatever their order: each pass takes or gives what those before it leave. */
function powersOf(
  batteries: readonly Battery[],
  { step, stored, actions }: { step: Step; stored: readonly number[]; actions: readonly Action[] },
): number[] {
  let openW = netLoad(step)
  const powers = batteries.map(() => 0)
  for (const kinds of passes)
    for (const [number, battery] of batteries.entries()) {
      const action = actions[number] ?? automatic
      if (!kinds.includes(action.kind)) continue
      const watts = powerOf(action, battery, { storedWh: stored[number] ?? 0, hours: step.hours, netW: openW })
      powers[number] = watts
      openW -= watts
    }
  return powers
}

interface BatteryState {
  readonly storedWh: number
  readonly hours: number
  /** What the house takes that neither sun nor other batteries give, watts. */
  readonly netW: number
}

/** Mean power of a battery under an action, watts; discharge is positive. */
export function powerOf(action: Action, battery: Battery, { storedWh, hours, netW }: BatteryState): number {
  const giving = (mostW: number, floorWh: number): number => {
    const available = (Math.max(0, storedWh - floorWh) * battery.dischargeEfficiency) / hours
    return Math.max(0, Math.min(mostW, battery.dischargeW, netW, available))
  }
  const taking = (mostW: number, untilWh: number): number => {
    const room = Math.max(0, Math.min(untilWh, battery.fullWh) - storedWh) / battery.chargeEfficiency / hours
    return Math.max(0, Math.min(mostW, battery.chargeW, room))
  }
  switch (action.kind) {
    case 'automatic':
      return netW > 0 ? giving(netW, battery.emptyWh) : -taking(-netW, battery.fullWh)
    case 'hold':
      return 0
    case 'charge':
      return -taking(action.watts, action.untilWh)
    case 'discharge':
      return giving(action.watts, battery.reserveWh)
  }
}

interface BatteryFlow {
  readonly storedWh: number
  readonly watts: number
  readonly hours: number
}

/** Content of a battery after a power has flowed for a time. */
export function storedAfter(battery: Battery, { storedWh, watts, hours }: BatteryFlow): number {
  const wh = watts * hours
  return storedWh - (wh > 0 ? wh / battery.dischargeEfficiency : wh * battery.chargeEfficiency)
}

function costOf(
  site: Site,
  step: Step,
  { powers, stored }: { powers: readonly number[]; stored: readonly number[] },
): CourseStep {
  const wanted = netLoad(step) - powers.reduce((sum, watts) => sum + watts, 0)
  const gridW = Math.max(wanted, -(site.feedInLimitW ?? Infinity))
  const energy = ((gridW > 0 ? step.buy : step.sell) * gridW * step.hours) / 1000
  const wear = site.batteries.reduce(
    (sum, battery, number) => sum + (Math.max(0, powers[number] ?? 0) * step.hours * battery.wear) / 1000,
    0,
  )
  return { batteryW: powers, storedWh: stored, gridW, cost: energy + wear }
}
