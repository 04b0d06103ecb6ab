import { addressGroup, createBudget } from '@hearth/http'
import type { Clock } from '@hearth/runtime'

/**
 * Creates the limit on requests for invalid links, per address (an IPv6 network counts as one) and in total. A token has 48
 * bits: at the limit for everybody, a year of trying finds one of a thousand links with a probability of about 1 in 5,000.
 */
export function createWrongLinks(clock: Clock) {
  const everybody = () => 'all'
  const budgets = [
    { budget: createBudget({ limit: 200, windowSeconds: 3600, clock }), keyOf: addressGroup },
    { budget: createBudget({ limit: 300, windowSeconds: 60, clock }), keyOf: everybody },
    { budget: createBudget({ limit: 6000, windowSeconds: 3600, clock }), keyOf: everybody },
  ]
  return {
    /** Returns the seconds until this address may try again; undefined when it may now. */
    waitSeconds(address: string): number | undefined {
      const waits = budgets
        .map(({ budget, keyOf }) => budget.peek(keyOf(address)))
        .filter(({ allowed }) => !allowed)
        .map(({ retryAfterSeconds }) => retryAfterSeconds)
      return waits.length === 0 ? undefined : Math.max(...waits)
    },
    count(address: string): void {
      for (const { budget, keyOf } of budgets) budget.take(keyOf(address))
    },
  }
}
