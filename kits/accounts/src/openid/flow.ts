import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import { z } from 'zod'
import { createTimedSeal, type TimedSeal } from './timed-seal.ts'

/** Time between the start of a sign-in and the provider's answer, milliseconds. */
export const maxFlowAge = 600_000

const Flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
})

/** A sign-in that has begun: what the answer of the provider must match, and where the browser goes then. */
export type Flow = z.infer<typeof Flow>

/** Seals flows for a cookie. */
export type FlowSeal = TimedSeal<Flow>

/** Creates the seal of one redirect URI; what is sealed for another service does not open. */
export function createFlowSeal(sealer: Sealer, clock: Clock, redirectUri: string): FlowSeal {
  return createTimedSeal({ sealer, clock, place: `openid:${redirectUri}`, maxAge: maxFlowAge, schema: Flow })
}
