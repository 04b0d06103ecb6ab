import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { JobPath } from '../jobs/schema.ts'
import { BeatGrid } from './schema.ts'

/** The beats of a sound, for whatever goes along with them. */
export function beatRoutes({ beatsOf }: { beatsOf: (jobId: string) => Promise<BeatGrid> }): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/jobs/{job_id}/beats',
        tag: 'Files',
        summary: 'The beats and bars of a finished sound',
        description: 'Found at the first request and kept. A tempo that a person set chooses among its octaves.',
        access: 'member',
        limit: '60',
        params: JobPath,
        success: { status: 200, body: BeatGrid },
        errors: [404, 503],
      },
      ({ params }) => beatsOf(params.job_id),
    ),
  ]
}
