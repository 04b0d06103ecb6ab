import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { Jobs } from './jobs.ts'
import type { RemoveAll } from './remove-all.ts'
import { Job, JobList, JobPage, Removal, Submission, TempoChange } from './schema.ts'

const JobPath = z.object({ job_id: z.string().toLowerCase() })

/** Submitting, watching and stopping jobs. */
export function jobRoutes(jobs: Jobs, removeAll: RemoveAll): Route[] {
  return [...listRoutes(jobs), ...changeRoutes(jobs, removeAll)]
}

function listRoutes(jobs: Jobs): Route[] {
  const shared = { method: 'GET', tag: 'Jobs', access: 'member', limit: '60' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/jobs',
        summary: 'Jobs, newest first',
        query: JobPage,
        success: { status: 200, body: JobList },
      },
      ({ query }) => jobs.list(query),
    ),
    route(
      {
        ...shared,
        path: '/api/jobs/{job_id}',
        summary: 'One job',
        params: JobPath,
        success: { status: 200, body: Job },
        errors: [404],
      },
      ({ params }) => jobs.find(params.job_id),
    ),
  ]
}

function changeRoutes(jobs: Jobs, removeAll: RemoveAll): Route[] {
  const shared = { method: 'POST', tag: 'Jobs', access: 'member' } as const
  const one = { ...shared, params: JobPath, success: { status: 200, body: Job } } as const
  return [
    route(
      {
        ...shared,
        path: '/api/submit',
        summary: 'Ask for a download',
        description:
          'The platform is asked for title and length for at most 8 seconds; the job is made whether or not it answers.',
        limit: '10',
        takes: 'form',
        body: Submission,
        success: { status: 200, body: Job },
        errors: [409, 503],
      },
      ({ body }) => jobs.submit(body),
    ),
    route(
      {
        ...one,
        path: '/api/jobs/{job_id}/cancel',
        summary: 'Stop a job',
        limit: '30',
        errors: [400, 404, 409],
      },
      ({ params }) => jobs.cancel(params.job_id),
    ),
    route(
      {
        ...one,
        path: '/api/jobs/{job_id}/retry',
        summary: 'Try a failed or cancelled job again, at its place in the list',
        limit: '10',
        errors: [400, 404, 409, 503],
      },
      ({ params }) => jobs.retry(params.job_id),
    ),
    route(
      {
        ...one,
        path: '/api/jobs/{job_id}/tempo',
        summary: 'Set the tempo of a finished sound by ear',
        limit: '30',
        body: TempoChange,
        errors: [404],
      },
      ({ params, body }) => jobs.setTempo(params.job_id, body.bpm),
    ),
    route(
      {
        ...shared,
        path: '/api/jobs/remove-all',
        summary: 'Delete every job and its files; there is no way back',
        limit: '2',
        success: { status: 200, body: Removal },
      },
      () => removeAll(),
    ),
  ]
}
