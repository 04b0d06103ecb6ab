import type { EventBus } from '@hearth/events'
import { z } from 'zod'
import { Job, JobStatus } from './jobs/schema.ts'

const shared = { seq: z.int().min(0).meta({ description: 'Grows with every event; also the id of the message' }) }

const changing = Job.pick({
  error_code: true,
  filename: true,
  filesize_bytes: true,
  codec: true,
  bitrate_kbps: true,
  video_title: true,
  video_meta_hover: true,
  artist: true,
  album: true,
  channel: true,
  published_on: true,
  chapter_count: true,
  duration_seconds: true,
  finished_at: true,
  bpm: true,
  bpm_confidence: true,
  key: true,
  key_camelot: true,
  key_confidence: true,
  loudness_lufs: true,
  loudness_range_lu: true,
  true_peak_dbtp: true,
  silence_start_seconds: true,
  silence_end_seconds: true,
  analysis_pending: true,
  tags: true,
  pinned: true,
  audio_hash: true,
})

/** Members of a job that an event carries when they changed. */
export const jobEventMembers = changing.keyof().options

/** A job changed: its id and status, and of the rest only what is new. */
export const JobEvent = z
  .object({
    ...shared,
    id: z.string(),
    status: JobStatus,
    message: z.string().nullable(),
    timestamp: z.iso.datetime(),
    progress: z.int().min(0).max(100).optional(),
    eta_seconds: z.int().min(0).nullable().optional(),
    ...changing.partial().shape,
  })
  .meta({ id: 'JobEvent' })

export const StemEvent = z
  .object({
    ...shared,
    type: z.literal('stem_progress'),
    job_id: z.string(),
    stage: z.enum(['upload', 'processing', 'download', 'done', 'failed']),
    progress: z.int().min(0).max(100),
    message: z.string().nullable(),
  })
  .meta({ id: 'StemEvent' })

export const ExportEvent = z
  .object({
    ...shared,
    type: z.literal('export_changed'),
    job_id: z.string(),
    export_id: z.string(),
    status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
    progress: z.int().min(0).max(100),
    message: z.string().nullable(),
  })
  .meta({ id: 'ExportEvent' })

export const JobsChanged = z
  .object({
    ...shared,
    type: z.enum([
      'job_added',
      'job_removed',
      'jobs_cleared',
      'lists_changed',
      'platforms_changed',
      'settings_changed',
      'resync_required',
      'shutdown',
    ]),
    job_id: z.string().nullable(),
  })
  .meta({ id: 'JobsChanged' })

export const Snapshot = z
  .object({ ...shared, type: z.literal('snapshot'), jobs: z.array(Job) })
  .meta({ id: 'Snapshot', description: 'The first message of a stream that goes on from nothing' })

/** Data of one message, in both streams. */
export const StreamMessage = z
  .union([JobEvent, StemEvent, ExportEvent, JobsChanged, Snapshot])
  .meta({ id: 'StreamMessage' })

/** An event as it is published; the bus numbers it. */
export type MediaEvent =
  | Unnumbered<z.infer<typeof JobEvent>>
  | Unnumbered<z.infer<typeof StemEvent>>
  | Unnumbered<z.infer<typeof ExportEvent>>
  | Unnumbered<z.infer<typeof JobsChanged>>
type Unnumbered<T> = Omit<T, 'seq'>

/** Carries events from the processes that work to those with streams. */
export type MediaBus = EventBus<MediaEvent>

/** Returns an event without its long texts, for a bus that carries no large ones; the job itself has them. */
export function shortenEvent(event: MediaEvent): MediaEvent {
  if (!('id' in event)) return event
  const { video_title: _title, video_meta_hover: _hover, filename: _name, ...others } = event
  const { artist: _artist, album: _album, channel: _channel, tags: _tags, ...rest } = others
  return { ...rest, message: event.message?.slice(0, 300) ?? null }
}
