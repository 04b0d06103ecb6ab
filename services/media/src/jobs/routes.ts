import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Jobs } from './jobs.ts'
import type { RemoveJobs } from './remove-jobs.ts'
import {
  Job,
  JobList,
  JobPage,
  JobPath,
  JobSelection,
  NamePreview,
  NameTrial,
  PinChange,
  PinsChanged,
  Removal,
  SomeRemoved,
  Submission,
  TempoChange,
} from './schema.ts'

/** Submitting, watching and stopping jobs. */
export function jobRoutes(features: { jobs: Jobs; removeJobs: RemoveJobs }): Route[] {
  const { jobs, removeJobs } = features
  return [...listRoutes(jobs), ...changeRoutes(jobs), nameRoute(jobs), pinRoute(jobs), ...removalRoutes(removeJobs)]
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

function nameRoute(jobs: Jobs): Route {
  return route(
    {
      method: 'POST',
      tag: 'Settings',
      access: 'member',
      path: '/api/jobs/name-preview',
      summary: 'Names that a template would give to files',
      limit: '60',
      body: NameTrial,
      success: { status: 200, body: NamePreview },
    },
    ({ body }) => jobs.previewNames(body),
  )
}

function changeRoutes(jobs: Jobs): Route[] {
  const shared = { method: 'POST', tag: 'Jobs', access: 'submitter' } as const
  const one = { ...shared, params: JobPath, success: { status: 200, body: Job } } as const
  return [
    route(
      {
        ...shared,
        path: '/api/submit',
        summary: 'Submit a download',
        description:
          'Queries the platform for title and length, 8 seconds at most; creates the job whether or not it answers. ' +
          'A 503 with error `no_room` stays until room is made; a full queue passes.',
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
        summary: 'Retry a failed or cancelled job; it keeps its place in the list',
        limit: '10',
        errors: [400, 404, 409, 503],
      },
      ({ params }) => jobs.retry(params.job_id),
    ),
    route(
      {
        ...one,
        path: '/api/jobs/{job_id}/tempo',
        summary: 'Set the tempo of a finished sound',
        limit: '30',
        body: TempoChange,
        errors: [404],
      },
      ({ params, body }) => jobs.setTempo(params.job_id, body.bpm),
    ),
  ]
}

function pinRoute(jobs: Jobs): Route {
  return route(
    {
      method: 'POST',
      tag: 'Jobs',
      access: 'submitter',
      path: '/api/jobs/pin',
      summary: 'Pin downloads, or unpin them',
      description: 'The files of pinned downloads never go to make room. Ids of no download are left out.',
      limit: '60',
      body: PinChange,
      success: { status: 200, body: PinsChanged },
    },
    async ({ body }) => ({ jobs: await jobs.pin(body) }),
  )
}

function removalRoutes(removeJobs: RemoveJobs): Route[] {
  const shared = { method: 'POST', tag: 'Jobs', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/jobs/remove-all',
        summary: 'Delete every job and its files; cannot be undone',
        limit: '2',
        success: { status: 200, body: Removal },
      },
      () => removeJobs.all(),
    ),
    route(
      {
        ...shared,
        path: '/api/jobs/remove',
        summary: 'Delete downloads and their files; cannot be undone',
        description: 'What is being downloaded is stopped first. Ids of no download are left out.',
        limit: '30',
        body: JobSelection,
        success: { status: 200, body: SomeRemoved },
      },
      ({ body }) => removeJobs.some(body.job_ids),
    ),
  ]
}
