import { z } from 'zod'
import { MediaType, Platform, Quality } from '../platforms/schema.ts'
import { NameTemplate } from '../settings/schema.ts'

/** Path of what belongs to one job. */
export const JobPath = z.object({ job_id: z.string().toLowerCase() })

/** The nine states of a job; see `job-machine.ts`. */
export const JobStatus = z.enum([
  'queued',
  'processing',
  'downloading',
  'transcoding',
  'analysis',
  'analysis_done',
  'done',
  'error',
  'cancelled',
])
export type JobStatus = z.infer<typeof JobStatus>

/** A time as `YYYY-MM-DD HH:MM:SS` in UTC. */
export const JobTimestamp = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

const count = z.int().min(0)

/** A job as every route and event shows it. */
export const Job = z
  .object({
    id: z.uuid(),
    url: z.string(),
    platform: Platform,
    video_title: z.string().nullable(),
    video_meta_hover: z.string().nullable(),
    artist: z.string().nullable(),
    album: z.string().nullable(),
    channel: z.string().nullable(),
    published_on: z.string().nullable().meta({ description: '`YYYY-MM-DD`' }),
    chapter_count: count.meta({ description: 'Chapters that the platform names; MP3, M4A, MP4 and Opus keep them' }),
    type: MediaType,
    quality: Quality,
    status: JobStatus,
    created_at: JobTimestamp,
    finished_at: JobTimestamp.nullable(),
    message: z.string().nullable().meta({ description: 'The last step or the reason of a failure, for a person' }),
    error_code: z.string().nullable().meta({ description: 'Stable code of a failure, such as `rate_limited`' }),
    filesize_bytes: count.nullable(),
    duration_seconds: count.nullable(),
    codec: z.string().nullable(),
    bitrate_kbps: count.nullable(),
    bpm: count.nullable(),
    bpm_confidence: z.number().min(0).max(1).nullable(),
    key: z.string().nullable().meta({ description: 'Musical key, as `A minor` or `Eb major`' }),
    key_camelot: z.string().nullable().meta({ description: 'The same on the Camelot wheel, `1A` to `12B`' }),
    key_confidence: z.number().min(0).max(1).nullable(),
    loudness_lufs: z.number().nullable().meta({ description: 'Integrated loudness by EBU R 128, LUFS' }),
    loudness_range_lu: z.number().min(0).nullable().meta({ description: 'Loudness range by EBU Tech 3342, LU' }),
    true_peak_dbtp: z.number().nullable().meta({ description: 'Highest true peak, dBTP' }),
    silence_start_seconds: z.number().min(0).nullable().meta({ description: 'Silence at the beginning' }),
    silence_end_seconds: z.number().min(0).nullable().meta({ description: 'Silence at the end' }),
    analysis_pending: z.boolean().meta({ description: 'Another analysis of the finished sound waits or runs' }),
    tags: z.array(z.string()).meta({ description: 'Tags that a person gave it' }),
    pinned: z.boolean().meta({ description: 'Its files never go to make room' }),
    audio_hash: z.string().nullable().meta({ description: 'SHA-256 of the file, hex' }),
    filename: z.string().nullable().meta({ description: 'Name under which the file is delivered' }),
  })
  .meta({ id: 'Job' })
export type Job = z.infer<typeof Job>

const lowered = z.string().trim().toLowerCase()

/** A boolean in a form: true, 1, yes or on count as true. */
export const FormSwitch = z
  .union([z.boolean(), lowered])
  .transform((value) => value === true || ['true', '1', 'yes', 'on'].includes(String(value)))

/** Body of a submission, from the form or a script. */
export const Submission = z
  .object({
    url: z.string(),
    type: lowered.pipe(MediaType),
    quality: lowered.pipe(Quality),
    confirm_duplicate: FormSwitch.optional().meta({ description: 'true to accept a duplicate' }),
    csrf_token: z.string().optional(),
  })
  .meta({ id: 'Submission' })
export type Submission = z.infer<typeof Submission>

export const JobList = z.array(Job)

const pageRule = 'must be a whole number'

/** What the list of jobs can be sorted by; jobs without the value come last. */
export const JobSort = z.enum(['created', 'title', 'duration', 'bpm', 'key', 'loudness'])
export type JobSort = z.infer<typeof JobSort>

export const JobPage = z.object({
  sort: JobSort.default('created').meta({
    description: '`key` goes round the Camelot wheel; jobs without the value come last',
  }),
  order: z.enum(['asc', 'desc']).optional().meta({ description: '`desc` for created, otherwise `asc`' }),
  offset: z.coerce.number(pageRule).int(pageRule).min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit: z.coerce.number(pageRule).int(pageRule).min(1).max(100).default(50),
})

/** A tempo set by a person. */
export const TempoChange = z.strictObject({ bpm: z.int().min(20).max(400) }).meta({ id: 'TempoChange' })

/** A template of file names to be tried. */
export const NameTrial = z.strictObject({ type: MediaType, template: NameTemplate }).meta({ id: 'NameTrial' })
export type NameTrial = z.infer<typeof NameTrial>

/** Names that a template gives. */
export const NamePreview = z
  .object({
    names: z
      .array(z.string())
      .meta({ description: 'Of the newest finished downloads of that type; an example without one' }),
  })
  .meta({ id: 'NamePreview' })
export type NamePreview = z.infer<typeof NamePreview>

/** Jobs to be deleted. */
export const JobSelection = z
  .strictObject({ job_ids: z.array(z.string().toLowerCase()).min(1).max(200) })
  .meta({ id: 'JobSelection' })

/** Jobs to be pinned, or unpinned. */
export const PinChange = JobSelection.extend({ pinned: z.boolean() }).meta({ id: 'PinChange' })
export type PinChange = z.infer<typeof PinChange>

/** Result of `POST /api/jobs/pin`. */
export const PinsChanged = z
  .object({ jobs: z.array(Job).meta({ description: 'The jobs that exist, as they are now' }) })
  .meta({ id: 'PinsChanged' })

/** Result of `POST /api/jobs/remove-all`. */
export const Removal = z
  .object({
    ok: z.literal(true),
    message: z.string(),
    jobs_deleted: count,
    files_deleted: count.meta({ description: 'Jobs whose files were deleted' }),
    share_links_deleted: count,
  })
  .meta({ id: 'Removal' })
export type Removal = z.infer<typeof Removal>

/** Result of `POST /api/jobs/remove`. */
export const SomeRemoved = Removal.omit({ share_links_deleted: true }).meta({ id: 'SomeRemoved' })
export type SomeRemoved = z.infer<typeof SomeRemoved>
