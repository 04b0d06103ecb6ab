import { databaseCollector, defineCollector, keepFor, samplesOf, type Collector } from '@hearth/metrics'
import type { MeasuredDatabase } from '@hearth/database'
import { notificationCollector, type Notifications } from '@hearth/notifications'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { JobStatus } from '../jobs/schema.ts'
import type { Settings } from '../settings/schema.ts'
import { readUsage } from '../space/assess.ts'
import { diskReserve, type Disks } from '../space/disks.ts'
import type { Tables } from '../tables.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import type { EndedJobs } from './ended-jobs.ts'
import { countByStatus, firstQueuedAt, sumStoredBytes } from './store.ts'

export interface FigureDependencies {
  readonly database: MeasuredDatabase<Tables>
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly ended: EndedJobs
  readonly queueSize: number
  /** Number of jobs this process works on at a time. */
  readonly workerCount: () => number
  readonly tools: Pick<Toolbox, 'ytDlp' | 'ffmpeg'>
  readonly disks: Pick<Disks, 'leastFree'>
  readonly settings: () => Settings
  readonly countLinks: () => Promise<number>
  readonly notifications: Pick<Notifications, 'figures'>
}

/** Time for which figures that cost more than a look-up are kept, milliseconds. */
const storedFor = 60_000
const versionsFor = 600_000

/** The figures of the media service. */
export function mediaCollectors(dependencies: FigureDependencies): Collector[] {
  return [
    jobCollector(dependencies),
    endCollector(dependencies),
    toolCollector(dependencies),
    storageCollector(dependencies),
    defineCollector({
      name: 'shares',
      figures: { hearth_media_share_links: { type: 'gauge', help: 'Share links that exist' } },
      read: async () => ({ hearth_media_share_links: await dependencies.countLinks() }),
    }),
    notificationCollector('media', dependencies.notifications),
    databaseCollector(dependencies.database),
  ]
}

function jobCollector({ db, clock, queueSize, workerCount }: FigureDependencies): Collector {
  return defineCollector({
    name: 'jobs',
    figures: {
      hearth_media_jobs: { type: 'gauge', help: 'Jobs by status' },
      hearth_media_queue_length: { type: 'gauge', help: 'Jobs that wait for a worker' },
      hearth_media_queue_limit: { type: 'gauge', help: 'Most jobs that may wait' },
      hearth_media_queue_oldest_wait_seconds: {
        type: 'gauge',
        help: 'Time that the first job of the queue has waited; 0 when none waits',
      },
      hearth_media_workers: { type: 'gauge', help: 'Jobs that this process works on at a time' },
    },
    async read() {
      const [rows, first] = await Promise.all([countByStatus(db), firstQueuedAt(db)])
      const counts = new Map(rows.map(({ status, count }) => [status, count]))
      return {
        hearth_media_jobs: samplesOf(JobStatus.options, (status) => ({ status }))((status) => counts.get(status) ?? 0),
        hearth_media_queue_length: counts.get('queued') ?? 0,
        hearth_media_queue_limit: queueSize,
        hearth_media_queue_oldest_wait_seconds: first === undefined ? 0 : Math.max(0, clock.now() - first) / 1000,
        hearth_media_workers: workerCount(),
      }
    },
  })
}

function endCollector({ ended }: FigureDependencies): Collector {
  return defineCollector({
    name: 'ended_jobs',
    figures: {
      hearth_media_jobs_ended_total: {
        type: 'counter',
        help: 'Jobs that ended since the start, by platform, outcome and reason of a failure',
      },
    },
    read: async () => ({ hearth_media_jobs_ended_total: await ended.read() }),
  })
}

function toolCollector({ tools, clock }: FigureDependencies): Collector {
  const versions = keepFor(versionsFor, clock, async () => ({
    yt_dlp: await tools.ytDlp.version(),
    ffmpeg: await tools.ffmpeg.version(),
  }))
  return defineCollector({
    name: 'tools',
    figures: {
      hearth_media_tool_up: { type: 'gauge', help: '1 for a tool that can be run, otherwise 0' },
      hearth_media_tool_info: { type: 'gauge', help: 'Version of a tool' },
    },
    async read() {
      const known = Object.entries(await versions())
      return {
        hearth_media_tool_up: known.map(([tool, version]) => [{ tool }, version === undefined ? 0 : 1] as const),
        hearth_media_tool_info: known.flatMap(([tool, version]) =>
          version === undefined ? [] : [[{ tool, version }, 1] as const],
        ),
      }
    },
  })
}

function storageCollector({ db, clock, disks, settings }: FigureDependencies): Collector {
  const stored = keepFor(storedFor, clock, () => sumStoredBytes(db))
  return defineCollector({
    name: 'storage',
    figures: {
      hearth_media_artifacts_bytes: {
        type: 'gauge',
        help: 'Size of the jobs’ files; copies made from them, such as trims and stems, are not included',
      },
      hearth_media_stored_bytes: { type: 'gauge', help: 'Size of all stored files by kind; a shared one counts once' },
      hearth_media_storage_reserved_bytes: { type: 'gauge', help: 'Space kept for downloads and exports that run' },
      hearth_media_storage_budget_bytes: { type: 'gauge', help: 'Most that stored files may take; 0 is without limit' },
      hearth_media_disk_free_bytes: {
        type: 'gauge',
        help: 'Space that the service may still use on its disk, or on the fuller one when stored files have their own',
      },
      hearth_media_disk_reserve_bytes: { type: 'gauge', help: 'Free space below which no job is accepted' },
    },
    async read() {
      const usage = await readUsage(db, { settings: settings(), now: clock.now() })
      return {
        hearth_media_artifacts_bytes: await stored(),
        hearth_media_stored_bytes: usage.kinds.map(({ kind, bytes }) => [{ kind }, bytes] as const),
        hearth_media_storage_reserved_bytes: usage.reserved_bytes,
        hearth_media_storage_budget_bytes: usage.budget_bytes,
        hearth_media_disk_free_bytes: await disks.leastFree(),
        hearth_media_disk_reserve_bytes: diskReserve,
      }
    },
  })
}
