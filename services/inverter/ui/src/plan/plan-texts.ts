import type { DevicePlan, PlanSettingsView } from '../api.ts'

type Plan = NonNullable<DevicePlan['plan']>

/** A part of a plan. */
export type Block = Plan['blocks'][number]

/** What a part of a plan does. */
export const actions: Readonly<Record<Block['action'], string>> = {
  automatic: 'Automatic',
  hold: 'Hold',
  charge: 'Charge',
  discharge: 'Discharge',
}

/** Who decides now. */
export const deciders: Readonly<Record<DevicePlan['status']['carrying'], string>> = {
  off: 'The inverter, the plan is only shown',
  paused: 'The inverter, the plan is paused',
  automatic: 'The inverter',
  plan: 'The plan',
  person: 'A person or a program',
  failed: 'The inverter, after a problem',
}

/** The name of the inverter of a battery. */
export const batteryName = (deviceId: string, { batteries }: Pick<PlanSettingsView, 'batteries'>): string =>
  batteries.find(({ device_id }) => device_id === deviceId)?.display_name ?? deviceId

/** Why the plan goes on without a battery; undefined while all are part of it, or there is no plan at all. */
export function leftOutText({ batteries, missing }: DevicePlan['status']): string | undefined {
  const reasons = batteries.map(({ left_out: reason }) => reason).filter((reason) => reason !== null)
  if (reasons.length === 0 || missing.length > 0) return undefined
  return `The plan goes on without a battery. ${reasons.join(' ')}`
}

/** An amount of money, `1.24 EUR`. */
export const money = (amount: number, currency: string): string => `${amount.toFixed(2)} ${currency}`

/** What a plan saves or costs more, in a sentence. */
export function savingText({ expected_cost: cost, expected_cost_without: without, currency }: Plan): string {
  const saving = without - cost
  if (Math.abs(saving) < 0.005) return 'The inverter by itself does as well.'
  return `${money(Math.abs(saving), currency)} ${saving > 0 ? 'less' : 'more'} than without a plan.`
}
