import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver } from '../delivery/deliver.ts'
import { JobPath } from '../jobs/schema.ts'
import type { PeakFiles } from './peak-file.ts'
import { Waveform } from './schema.ts'

/** Dependencies of the routes of shapes. */
export interface WaveformDependencies {
  readonly waveformOf: (jobId: string) => Promise<Waveform>
  readonly peakFiles: PeakFiles
  readonly artifacts: ArtifactStore
}

/** The shape of a sound, so that a player need not fetch all of it to draw it. */
export function waveformRoutes({ waveformOf, peakFiles, artifacts }: WaveformDependencies): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/waveform/{job_id}/peaks',
        tag: 'Files',
        summary: 'The fine shape of a finished sound, also of that of a video',
        description:
          'Little-endian: `HPK1`, the number of pairs (uint32), seconds of a pair and of the whole (float64 each), then the pairs: ' +
          'lowest and highest sample (int8, 127 is full scale). At most 200 pairs a second.',
        access: 'member',
        limit: '60',
        params: JobPath,
        success: { status: 200, media: 'application/octet-stream', description: 'Pairs of peaks' },
        also: [206, 304],
        errors: [404, 416, 503],
      },
      async (call) => deliver(call, { artifacts, ...(await peakFiles(call.params.job_id)) }),
    ),
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
