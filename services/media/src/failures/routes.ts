import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { JobPath } from '../jobs/schema.ts'
import type { FailureReports } from './failure-reports.ts'

/** The report of a failed download. */
export function failureRoutes({ failures }: { failures: FailureReports }): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/jobs/{job_id}/report',
        tag: 'Jobs',
        summary: 'What happened when a job failed last, to pass on',
        description:
          'Versions, reason and the end of the tool’s output, without credentials, queries, IP addresses and paths. Kept for 30 days.',
        access: 'member',
        limit: '30',
        params: JobPath,
        success: { status: 200, media: 'text/plain', description: 'The report' },
        errors: [404],
      },
      async ({ params, answer }) => {
        const content = await failures.text(params.job_id)
        answer.header('content-type', 'text/plain; charset=utf-8')
        answer.header('content-disposition', `attachment; filename="failure-${params.job_id.slice(0, 8)}.txt"`)
        answer.header('cache-control', 'private, no-cache')
        return { content }
      },
    ),
  ]
}
