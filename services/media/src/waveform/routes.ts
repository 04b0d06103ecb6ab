import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { JobPath } from '../jobs/schema.ts'
import { Waveform } from './schema.ts'

/** The shape of a sound, so that a player need not fetch all of it to draw it. */
export function waveformRoutes({ waveformOf }: { waveformOf: (jobId: string) => Promise<Waveform> }): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/waveform/{job_id}',
        tag: 'Files',
        summary: 'The shape of a finished sound',
        access: 'member',
        limit: '60',
        params: JobPath,
        success: { status: 200, body: Waveform },
        errors: [404, 503],
      },
      ({ params }) => waveformOf(params.job_id),
    ),
  ]
}
