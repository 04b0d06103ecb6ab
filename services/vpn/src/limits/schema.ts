import { z } from 'zod'

/** Bandwidth in Mbit/s, at most three digits behind the point. */
export const Bandwidth = z
  .number()
  .min(0.1)
  .max(10_000)
  .refine((value) => Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-6, 'must have at most three decimals')

const description = (direction: string) => ({
  description: `Bandwidth ${direction} the peer through the tunnel, Mbit/s, 0.1 to 10,000; null for no limit`,
})

/** Members of a peer that limit its bandwidth. */
export const limitMembers = {
  limit_down: Bandwidth.nullable().meta(description('to')),
  limit_up: Bandwidth.nullable().meta(description('from')),
}

/** The same where they may be left out. */
export const settableLimits = {
  limit_down: limitMembers.limit_down.optional(),
  limit_up: limitMembers.limit_up.optional(),
}
