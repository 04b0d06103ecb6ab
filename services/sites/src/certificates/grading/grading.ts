import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { Publish } from '../../events/schema.ts'
import { GradeFailed, type Grader, type LocalGrade } from '../grader/grader.ts'
import type { GradeHistory } from '../history/history.ts'
import type { SiteHosts } from '../site-host.ts'

/** Error for a host that no enabled site with TLS has. */
export class UnknownHost extends Error {
  override readonly name = 'UnknownHost'
}

/** Grades the hosts of the sites and stores the results. */
export type Grading = ReturnType<typeof createGrading>

export interface GradingDependencies {
  readonly hosts: SiteHosts
  readonly grader: Grader
  readonly history: GradeHistory
  readonly publish: Publish
}

/** Maximum number of waiting grades. */
const maxWaiting = 50

/** Creates the grading. Each grade is added to the history and published as an event. */
export function createGrading({ hosts, grader, history, publish }: GradingDependencies) {
  const queues = createKeyedQueue(maxWaiting)

  async function gradeNow(host: string): Promise<{ siteId: number; grade: LocalGrade }> {
    const site = (await hosts.list()).find((candidate) => candidate.host === host && candidate.tlsMode !== 'off')
    if (site === undefined) throw new UnknownHost(`no enabled site with TLS has the host ${host}`)
    const endpoint = await hosts.endpoint()
    if (endpoint === undefined) throw new GradeFailed('no server is set up')
    const grade = await grader.grade(host, endpoint)
    await history.record({
      site_id: site.siteId,
      host,
      source: 'local',
      grade: grade.grade,
      grade_trust_ignored: grade.gradeTrustIgnored,
      parts: JSON.stringify(grade.parts),
      findings: JSON.stringify(grade.findings),
      not_after: grade.notAfter,
      checked_at: grade.checkedAt,
    })
    const details = { host, source: 'local', grade: grade.grade, grade_trust_ignored: grade.gradeTrustIgnored }
    publish({ type: 'grade', action: 'graded', id: String(site.siteId), details })
    return { siteId: site.siteId, grade }
  }

  return {
    /** Grades a host. Throws `UnknownHost` or `GradeFailed`. One grade per host and two in total run at a time. */
    async grade(host: string) {
      try {
        // Two queues, so that a slow host holds up half of the others at most.
        return await queues.run(String(queueOf(host)), () => gradeNow(host))
      } catch (error) {
        if (error instanceof QueueFull) throw new GradeFailed('too many grades are waiting; try again later')
        throw error
      }
    },
  }
}

const queueOf = (host: string): number => (host.codePointAt(host.length >> 1) ?? 0) % 2
