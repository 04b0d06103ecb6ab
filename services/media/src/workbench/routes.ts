import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver } from '../delivery/deliver.ts'
import { throwConversionProblem } from '../delivery/derived-file.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { findFinished } from '../jobs/finished-file.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { NoteUse } from '../jobs/use-tracker.ts'
import { JobPath } from '../jobs/schema.ts'
import type { Stems } from '../stems/stems.ts'
import { Workbench, WorkbenchChange, WorkbenchSound } from './schema.ts'
import type { Workbenches } from './workbench.ts'

/** Dependencies of the routes of the workbench. */
export interface WorkbenchRoutesDependencies {
  readonly workbenches: Workbenches
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly renditions: Renditions
  readonly stems: Pick<Stems, 'find'>
  readonly noteUse: NoteUse
}

const SoundPath = z.object({ job_id: z.string().toLowerCase(), sound: WorkbenchSound })

/** What the workbench keeps, and the sounds that it plays. */
export function workbenchRoutes(features: WorkbenchRoutesDependencies): Route[] {
  const { workbenches, artifacts } = features
  const shared = {
    tag: 'Workbench',
    access: 'submitter',
    path: '/api/jobs/{job_id}/workbench',
    params: JobPath,
  } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Parts, cue points and settings of a job',
        limit: '60',
        success: { status: 200, body: Workbench },
        errors: [404],
      },
      ({ params }) => workbenches.read(params.job_id),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        summary: 'Keep parts, cue points and settings of a job',
        description:
          'All of it at once, with the `revision` that was read. When somebody else wrote since, nothing is kept, and the ' +
          'answer is 409 with `error: revision_changed`.',
        limit: '120',
        maxBodyBytes: 262_144,
        body: WorkbenchChange,
        success: { status: 200, body: Workbench },
        errors: [404, 409],
      },
      ({ params, body }) => workbenches.write(params.job_id, body),
    ),
    route(
      {
        tag: 'Workbench',
        method: 'GET',
        path: '/api/jobs/{job_id}/sounds/{sound}',
        summary: 'The sound of a job or one of its stems, for a player',
        description: 'Also of a video, whose file it is then. Ranges are understood.',
        access: 'member',
        limit: '120',
        params: SoundPath,
        success: { status: 200, media: '*/*', description: 'The sound' },
        also: [206, 304],
        errors: [404, 416, 503],
      },
      async (call) => {
        const { job_id: jobId, sound } = call.params
        return deliver(call, { artifacts, jobId, name: await findSound(features, jobId, sound) })
      },
    ),
  ]
}

async function findSound(
  { jobs, renditions, stems, noteUse }: WorkbenchRoutesDependencies,
  jobId: string,
  sound: z.infer<typeof WorkbenchSound>,
): Promise<string> {
  const job = findFinished(await jobs.row(jobId))
  noteUse(job)
  if (sound !== 'original') return (await stems.find(job.id, { stem: sound, trimmed: false })).name
  if (job.type === 'video') return job.artifact
  return (await renditions.providePlayable(job).catch(throwConversionProblem)).name
}
