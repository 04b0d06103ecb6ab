import type { Clock } from '@hearth/runtime'
import type { NodeEndpoint } from '../site-host.ts'
import type { HandshakeTarget } from './handshake.ts'
import type { Observation } from './observation.ts'
import { probeSite } from './probe-site.ts'
import { scoreOf, type Score } from './score.ts'

/** Label of a local grade wherever it is shown: it is not a grade of SSL Labs. */
export const localGradeLabel = 'local grade, SSL Labs-like'

/** A grade of one host, with its time. */
export interface LocalGrade extends Score {
  readonly host: string
  readonly observation: Observation
  /** Time when the certificate expires, milliseconds. */
  readonly notAfter: number
  readonly checkedAt: number
}

/** A site could not be graded: nothing answers, or no handshake succeeds. The message is for the operator. */
export class GradeFailed extends Error {
  override readonly name = 'GradeFailed'
}

/** Grades hosts of the managed server. */
export type Grader = ReturnType<typeof createGrader>

export interface GraderDependencies {
  readonly clock: Clock
  /** Roots that are trusted, PEM; the runtime's own when missing. */
  readonly roots?: readonly string[]
  /** Limits of one handshake and of a whole grade, milliseconds; 3000 and 30 000. */
  readonly handshakeMs?: number
  readonly gradeMs?: number
}

/** Creates a grader that connects to the server's address with the site's name, so that no third party and no public name is needed. */
export function createGrader({ clock, roots, handshakeMs = 3000, gradeMs = 30_000 }: GraderDependencies) {
  return {
    /** Throws `GradeFailed`. */
    async grade(host: string, endpoint: NodeEndpoint): Promise<LocalGrade> {
      const limit = AbortSignal.timeout(gradeMs)
      const { address, httpsPort, httpPort } = endpoint
      const target: HandshakeTarget = { address, port: httpsPort, host, roots, timeoutMs: handshakeMs, signal: limit }
      const outcome = await probeSite(target, httpPort)
      if (outcome.kind === 'failed') throw new GradeFailed(outcome.reason)
      const { observation } = outcome
      const checkedAt = clock.now()
      const notAfter = observation.chain[0]?.notAfter ?? checkedAt
      return { host, observation, notAfter, checkedAt, ...scoreOf(observation, checkedAt) }
    },
  }
}
