import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver } from '../delivery/deliver.ts'
import { JobPath } from '../jobs/schema.ts'
import { Trim, TrimId, TrimList, TrimPath, TrimRequest, TrimsRemoved } from './schema.ts'
import type { Trims } from './trims.ts'

/** Parts of a sound, to the sample. */
export function trimRoutes({ trims, artifacts }: { trims: Trims; artifacts: ArtifactStore }): Route[] {
  const shared = { tag: 'Trims', access: 'submitter', path: '/api/trim/{job_id}', params: JobPath } as const
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Cut a part of a second to ten minutes out of a finished sound',
        limit: '10',
        body: TrimRequest,
        success: { status: 200, body: Trim },
        errors: [404, 409, 503],
      },
      ({ params, body }) => trims.make(params.job_id, body),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'The trims of a sound',
        limit: '60',
        success: { status: 200, body: TrimList },
        errors: [404],
      },
      ({ params }) => trims.list(params.job_id),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Delete all trims of a sound, or one of them',
        limit: '30',
        query: z.object({ trim_id: TrimId.optional() }),
        success: { status: 200, body: TrimsRemoved },
      },
      ({ params, query }) => trims.remove(params.job_id, query.trim_id),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/trim/{job_id}/{trim_id}/download',
        summary: 'A part that was cut, as WAV',
        access: 'page',
        limit: '30',
        params: TrimPath,
        success: { status: 200, media: 'audio/wav', description: 'WAV, 16 bits' },
        also: [206, 304],
        errors: [404, 416],
      },
      async (call) => {
        const { name, fileName } = await trims.find(call.params.job_id, call.params.trim_id)
        return deliver(call, { artifacts, jobId: call.params.job_id, name, fileName })
      },
    ),
  ]
}
