import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { invalid, notFound } from '../problems.ts'
import { throwConversionProblem } from './derived-file.ts'
import { deliver } from './deliver.ts'
import { downloadName } from '../jobs/file-names.ts'
import { JobPath } from '../jobs/schema.ts'
import type { NoteUse } from '../jobs/use-tracker.ts'
import { extensionOf, SoundFormat } from './formats.ts'
import type { Renditions } from './renditions.ts'

/** Dependencies of the routes that send files. */
export interface DeliveryDependencies {
  readonly jobs: Jobs
  readonly artifacts: ArtifactStore
  readonly renditions: Renditions
  readonly noteUse: NoteUse
}

/** The finished file, the sound for the player, and the picture of a job. */
export function deliveryRoutes({ jobs, artifacts, renditions, noteUse }: DeliveryDependencies): Route[] {
  const shared = { method: 'GET', tag: 'Files', params: JobPath } as const
  return [
    route(
      {
        ...shared,
        path: '/download/{job_id}',
        summary: 'The finished file',
        description:
          'Audio goes out as MP3 of the job’s quality, or in another `format`; `original` is the stored file, copied and not ' +
          'encoded again. Files carry title, artist, album, date, source, tempo, key, replay gain, chapters and cover, as far ' +
          'as their container takes them. Each is made at the first request and kept. Ranges are understood.',
        access: 'page',
        limit: '30',
        query: z.object({ format: SoundFormat.default('mp3').meta({ description: 'Of audio' }) }),
        success: { status: 200, media: '*/*', description: 'The file' },
        also: [206, 304],
        errors: [404, 416, 503],
      },
      async (call) => {
        const job = await jobs.row(call.params.job_id)
        if (!isDownloadable(job.status) || job.artifact === null) throw notFound('file')
        const { format } = call.query
        noteUse(job)
        const name =
          job.type === 'audio' ? await renditions.provide(job, format).catch(throwConversionProblem) : job.artifact
        const fileName = downloadName(job, extensionOf(format, job.artifact)) ?? 'media'
        return deliver(call, { artifacts, jobId: job.id, name, fileName })
      },
    ),
    route(
      {
        ...shared,
        path: '/audio-source/{job_id}',
        summary: 'The sound, for a player',
        description: 'Header X-Audio-Quality: `source`, or `mp3-fallback` when browsers cannot play the source.',
        access: 'member',
        limit: '60',
        success: { status: 200, media: 'audio/*', description: 'The sound' },
        also: [206, 304],
        errors: [400, 404, 416],
      },
      async (call) => {
        const job = await jobs.row(call.params.job_id)
        if (job.type !== 'audio') throw invalid('The job is a video and has no sound of its own')
        if (!isDownloadable(job.status) || job.artifact === null) throw notFound('file')
        const { name, isSource } = await renditions.providePlayable(job).catch(throwConversionProblem)
        noteUse(job)
        call.answer.header('x-audio-quality', isSource ? 'source' : 'mp3-fallback')
        return deliver(call, { artifacts, jobId: job.id, name })
      },
    ),
    route(
      {
        ...shared,
        path: '/thumbnail/{job_id}',
        summary: 'The picture of a job',
        access: 'member',
        limit: '120',
        success: { status: 200, media: 'image/jpeg', description: 'JPEG' },
        also: [206, 304],
        errors: [404, 416],
      },
      async (call) => {
        const job = await jobs.row(call.params.job_id)
        return deliver(call, { artifacts, jobId: job.id, name: 'thumbnail.jpg' })
      },
    ),
  ]
}
