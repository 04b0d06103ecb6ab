import { addressGroup, createBudget, type Budget } from '@hearth/http'
import type { Clock } from '@hearth/runtime'

/**
 * Limits for links that lead nowhere. A token has 48 bits: at the limit for everybody, a year of trying finds one
 * of a thousand links with a probability of about 1 in 5,000.
 */
const limits = {
  perAddress: [{ limit: 200, windowSeconds: 3600 }],
  overall: [
    { limit: 300, windowSeconds: 60 },
    { limit: 6000, windowSeconds: 3600 },
  ],
} as const

/** Counts links that lead nowhere, for each address (an IPv6 network is one) and for everybody together. */
export function createWrongLinks(clock: Clock) {
  const budgetsOf = (list: readonly { limit: number; windowSeconds: number }[]): Budget[] =>
    list.map((options) => createBudget({ ...options, clock }))
  const perAddress = budgetsOf(limits.perAddress)
  const overall = budgetsOf(limits.overall)
  const all = (address: string) => [
    ...perAddress.map((budget) => ({ budget, key: addressGroup(address) })),
    ...overall.map((budget) => ({ budget, key: 'all' })),
  ]
  return {
    /** Returns the seconds until this address may try again; undefined when it may now. */
    waitSeconds(address: string): number | undefined {
      const waits = all(address)
        .map(({ budget, key }) => budget.peek(key))
        .filter(({ allowed }) => !allowed)
        .map(({ retryAfterSeconds }) => retryAfterSeconds)
      return waits.length === 0 ? undefined : Math.max(...waits)
    },
    count(address: string): void {
      for (const { budget, key } of all(address)) budget.take(key)
    },
  }
}
