import type { DevicePlan } from '../api.ts'

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

/** An amount of money, `1.24 EUR`. */
export const money = (amount: number, currency: string): string => `${amount.toFixed(2)} ${currency}`

/** What a plan saves or costs more, in a sentence. */
export function savingText({ expected_cost: cost, expected_cost_without: without, currency }: Plan): string {
  const saving = without - cost
  if (Math.abs(saving) < 0.005) return 'The inverter by itself does as well.'
  return `${money(Math.abs(saving), currency)} ${saving > 0 ? 'less' : 'more'} than without a plan.`
}
