import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { notFound, Problem } from '../problems.ts'
import { gradeView, hostCertificateView } from './certificate-view.ts'
import { GradeFailed } from './grader/grader.ts'
import { UnknownHost, type Grading } from './grading/grading.ts'
import type { GradeHistory as History } from './history/history.ts'
import { gradeScale, historyRange } from './history/weekly-points.ts'
import type { HostCertificate } from './inventory/certificate-state.ts'
import type { Inventory } from './inventory/inventory.ts'
import {
  CertificateGrade,
  CertificateList,
  GradeHistory,
  HistoryQuery,
  HostParams,
  RefreshRequest,
  type GradeHistory as HistoryAnswer,
} from './schema.ts'

/** Functions behind the endpoints. */
export interface CertificateFeature {
  readonly inventory: Inventory
  readonly grading: Grading
  readonly history: History
}

const tag = 'Certificates'

/** Routes of certificates and grades. */
export function certificateRoutes(feature: CertificateFeature): Route[] {
  return [...inventoryRoutes(feature), gradeRoute(feature), ...historyRoutes(feature.history)]
}

function inventoryRoutes({ inventory, history }: CertificateFeature): Route[] {
  const answer = async (found: readonly HostCertificate[]): Promise<CertificateList> => {
    const grades = Map.groupBy(await history.latest(), ({ host }) => host)
    const { valid, expired, expiringSoon } = inventory.counts() ?? { valid: 0, expired: 0, expiringSoon: 0 }
    return {
      certificates: found.map((entry) => hostCertificateView(entry, grades.get(entry.host) ?? [])),
      counts: { valid, expired, expiring_soon: expiringSoon },
    }
  }
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/certificates',
        tag,
        summary: 'The certificates hosts show',
        description: 'Found by handshakes with the managed server; at most ten minutes old.',
        access: 'signed-in',
        limit: '30/min',
        success: { status: 200, body: CertificateList },
      },
      async () => answer(await inventory.list()),
    ),
    route(
      {
        method: 'POST',
        path: '/api/v1/certificates/refresh',
        tag,
        summary: 'Look at the certificates now',
        access: 'admin',
        limit: '5/min',
        body: RefreshRequest,
        success: { status: 200, body: CertificateList },
      },
      async ({ body }) => answer(await inventory.refresh(body.site_ids)),
    ),
  ]
}

function gradeRoute({ grading }: CertificateFeature): Route {
  return route(
    {
      method: 'POST',
      path: '/api/v1/certificates/{host}/grade',
      tag,
      summary: 'Grade a host now',
      description:
        'A local grade: the managed server is probed with the name of the host, nobody else is asked. Takes some seconds.',
      access: 'admin',
      limit: '10/min',
      params: HostParams,
      success: { status: 200, body: CertificateGrade },
      errors: [404, 502],
    },
    async ({ params }) => {
      try {
        const { siteId, grade } = await grading.grade(params.host.toLowerCase())
        return gradeView(grade, siteId)
      } catch (error) {
        if (error instanceof UnknownHost) throw notFound('host with a certificate')
        if (error instanceof GradeFailed) throw new Problem(502, `The host could not be graded: ${error.message}`)
        throw error
      }
    },
  )
}

function historyRoutes(history: History): Route[] {
  const shared = {
    method: 'GET',
    tag,
    access: 'signed-in',
    limit: '30/min',
    query: HistoryQuery,
    success: { status: 200, body: GradeHistory },
  } as const
  const answer = async (query: { range_key?: string | undefined; source?: 'local' | 'ssllabs' | undefined }) => {
    const range = historyRange(query.range_key)
    const { days, series } = await history.series(range, query.source)
    return {
      range_key: range,
      days,
      grade_scale: { ...gradeScale },
      series: series.map(({ host, source, points }) => ({ host, source, points: [...points] })),
    } satisfies HistoryAnswer
  }
  return [
    route({ ...shared, path: '/api/v1/certificates/grades', summary: 'Grades by the week' }, async ({ query }) =>
      answer(query),
    ),
    route(
      {
        ...shared,
        path: '/api/v1/dashboard/ssllabs-history',
        summary: 'Grades by the week, under an older name',
      },
      async ({ query }) => answer(query),
    ),
  ]
}
