import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { Job, JobPath } from '../jobs/schema.ts'
import type { AnalysisRequests } from './requests.ts'
import { AnalysisState } from './schema.ts'

/** Analysing finished sounds again: one, or all that an older version analysed. */
export function reanalysisRoutes(requests: AnalysisRequests): Route[] {
  const shared = { tag: 'Jobs', access: 'submitter' } as const
  const all = { ...shared, path: '/api/analysis', success: { status: 200, body: AnalysisState } } as const
  return [
    route(
      {
        ...all,
        method: 'GET',
        summary: 'Number of sounds that can be analysed again, and that wait for it',
        limit: '60',
      },
      () => requests.state(),
    ),
    route(
      {
        ...all,
        method: 'POST',
        summary: 'Analyse all sounds again that lack values an analysis finds today',
        description: 'The workers take them one by one, beside new jobs. A tempo that a person set stays.',
        limit: '10',
      },
      () => requests.outdated(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/jobs/{job_id}/analyse',
        summary: 'Analyse a finished sound again',
        description: 'A tempo that a person set stays. `analysis_pending` is true until it is done.',
        limit: '10',
        params: JobPath,
        success: { status: 200, body: Job },
        errors: [400, 404],
      },
      ({ params }) => requests.one(params.job_id),
    ),
  ]
}
