import type { UpstreamState } from '../traffic/schema.ts'
import type { CheckOutcome } from './probe/check-site.ts'

/** Returns the state of an upstream as the result of a check. */
export function upstreamOutcome({ address, up, reason, latency_ms: latencyMs }: UpstreamState): CheckOutcome {
  if (up === true) {
    const cameBack = `The connection succeeded after ${latencyMs ?? 0} ms.`
    return { latencyMs: latencyMs ?? undefined, cameBack, failure: undefined }
  }
  const cameBack = `No connection: ${reason ?? 'no reason was given'}.`
  const asked = `An empty connection to ${address}`
  const advice = 'Start the program there, or change the address of the upstream.'
  return { latencyMs: undefined, cameBack, failure: { kind: 'upstream', asked, came_back: cameBack, advice } }
}
