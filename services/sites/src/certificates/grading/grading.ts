import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { Publish } from '../../events/schema.ts'
import { GradeFailed, type Grader, type LocalGrade } from '../grader/grader.ts'
import { recordOf, type GradeHistory } from '../history/history.ts'
import type { SiteHosts } from '../site-host.ts'

/** No enabled site with TLS has the host. */
export class UnknownHost extends Error {
  override readonly name = 'UnknownHost'
}

/** Grades the hosts of the sites and keeps what came of it. */
export interface Grading {
  /** Throws `UnknownHost` or `GradeFailed`. Grades of one host are made one after the other, of all hosts two at a time. */
  grade(host: string): Promise<{ siteId: number; grade: LocalGrade }>
}

export interface GradingParts {
  readonly hosts: SiteHosts
  readonly grader: Grader
  readonly history: GradeHistory
  readonly publish: Publish
}

/** Grades that may wait. */
const longestLine = 50

export function createGrading({ hosts, grader, history, publish }: GradingParts): Grading {
  const lines = createKeyedQueue(longestLine)

  async function gradeNow(host: string): Promise<{ siteId: number; grade: LocalGrade }> {
    const site = (await hosts.list()).find((candidate) => candidate.host === host && candidate.tlsMode !== 'off')
    if (site === undefined) throw new UnknownHost(`no enabled site with TLS has the host ${host}`)
    const endpoint = await hosts.endpoint()
    if (endpoint === undefined) throw new GradeFailed('no server is set up')
    const grade = await grader.grade(host, endpoint)
    await history.record(recordOf(grade, site.siteId))
    const details = { host, source: 'local', grade: grade.grade, grade_trust_ignored: grade.gradeTrustIgnored }
    publish({ type: 'grade', action: 'graded', id: String(site.siteId), details })
    return { siteId: site.siteId, grade }
  }

  return {
    async grade(host) {
      try {
        // Two lines, so that a slow host holds up half of the others at most.
        return await lines.run(String(lineOf(host)), () => gradeNow(host))
      } catch (error) {
        if (error instanceof QueueFull) throw new GradeFailed('too many grades are waiting; try again later')
        throw error
      }
    },
  }
}

const lineOf = (host: string): number => (host.codePointAt(host.length >> 1) ?? 0) % 2
