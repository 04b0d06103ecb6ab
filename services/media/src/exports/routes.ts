import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver } from '../delivery/deliver.ts'
import { JobPath } from '../jobs/schema.ts'
import { deliverArchive } from './export-archive.ts'
import type { Exports } from './exports.ts'
import { Export, ExportFilePath, ExportList, ExportPath, ExportRequest } from './schema.ts'

const shared = { tag: 'Workbench', access: 'submitter', path: '/api/jobs/{job_id}/exports', params: JobPath } as const
const one = { ...shared, path: '/api/jobs/{job_id}/exports/{export_id}', params: ExportPath } as const

/** Files of parts of a finished sound. */
export function exportRoutes(features: { exports: Exports; artifacts: ArtifactStore }): Route[] {
  return [...collectionRoutes(features), ...singleRoutes(features)]
}

function collectionRoutes({ exports }: { exports: Exports }): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Make files of parts of a finished sound',
        description:
          'A worker makes them; the event `export_changed` tells how it goes. Parts are exact to the sample; a loop has ' +
          'bars × beats × 60 / bpm seconds, rounded to a sample once. At most 200 parts and three hours.',
        limit: '30',
        maxBodyBytes: 262_144,
        body: ExportRequest,
        success: { status: 202, body: Export },
        errors: [404, 409, 503],
      },
      ({ params, body }) => exports.request(params.job_id, body),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'The exports of a job, newest first',
        limit: '120',
        success: { status: 200, body: ExportList },
        errors: [404],
      },
      ({ params }) => exports.list(params.job_id),
    ),
  ]
}

function singleRoutes({ exports, artifacts }: { exports: Exports; artifacts: ArtifactStore }): Route[] {
  return [
    route(
      {
        ...one,
        method: 'POST',
        path: '/api/jobs/{job_id}/exports/{export_id}/cancel',
        summary: 'Stop an export that waits or runs',
        limit: '30',
        success: { status: 200, body: Export },
        errors: [404, 409],
      },
      ({ params }) => exports.cancel(params.job_id, params.export_id),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete an export with its files',
        limit: '30',
        success: { status: 200, body: z.object({ ok: z.literal(true) }).meta({ id: 'ExportRemoved' }) },
        errors: [404],
      },
      ({ params }) => exports.remove(params.job_id, params.export_id),
    ),
    route(
      {
        ...one,
        method: 'GET',
        path: '/api/jobs/{job_id}/exports/{export_id}/files/{number}',
        summary: 'A file of an export',
        access: 'page',
        limit: '240',
        params: ExportFilePath,
        success: { status: 200, media: '*/*', description: 'The file' },
        also: [206, 304],
        errors: [404, 416],
      },
      async (call) => {
        const { job_id: jobId, export_id: id, number } = call.params
        const { name, fileName } = await exports.find(jobId, id, number)
        return deliver(call, { artifacts, jobId, name, fileName })
      },
    ),
    route(
      {
        ...one,
        method: 'GET',
        path: '/api/jobs/{job_id}/exports/{export_id}/all.zip',
        summary: 'All files of an export as one archive',
        access: 'page',
        limit: '30',
        success: { status: 200, media: 'application/zip', description: 'The archive, not compressed' },
        errors: [404],
      },
      async (call) => deliverArchive(call, artifacts, await exports.findAll(call.params.job_id, call.params.export_id)),
    ),
  ]
}
