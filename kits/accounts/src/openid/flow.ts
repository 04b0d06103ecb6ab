import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import { z } from 'zod'

/** Time between the start of a sign-in and the provider's answer, milliseconds. */
export const maxFlowAge = 600_000

const Flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  until: z.number(),
})

/** A sign-in that has begun: what the answer of the provider must match, and where the browser goes then. */
export type Flow = Omit<z.infer<typeof Flow>, 'until'>

/** Seals flows for a cookie, so that no table is needed and any process of the service can finish what another began. */
export type FlowSeal = ReturnType<typeof createFlowSeal>

/** Creates the seal of one redirect URI; what is sealed for another service does not open. */
export function createFlowSeal(sealer: Sealer, clock: Clock, redirectUri: string) {
  const place = `openid:${redirectUri}`
  return {
    seal: (flow: Flow): string => sealer.seal(JSON.stringify({ ...flow, until: clock.now() + maxFlowAge }), place),
    /** Returns the flow of a cookie; undefined when it is missing, altered or too old. */
    open(sealed: string | undefined): Flow | undefined {
      const flow = Flow.safeParse(openSealed(sealer, sealed, place)).data
      return flow !== undefined && flow.until > clock.now() ? flow : undefined
    },
  }
}

function openSealed(sealer: Sealer, sealed: string | undefined, place: string): unknown {
  try {
    return sealed === undefined ? undefined : JSON.parse(sealer.open(sealed, place))
  } catch {
    return undefined
  }
}
