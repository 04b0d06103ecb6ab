import { z } from 'zod'
import { ExportPart, exportSettings, maxParts } from '../workbench/schema.ts'

/** Parts to make files of, and how. */
export const ExportRequest = z
  .strictObject({
    id: z
      .uuid()
      .toLowerCase()
      .optional()
      .meta({ description: 'Chosen by the caller, so that a request that is sent again makes no second export' }),
    parts: z.array(ExportPart).min(1).max(maxParts),
    format: exportSettings.format.default('wav'),
    joined: exportSettings.joined.default(false),
    loudness_lufs: exportSettings.loudness_lufs.default(null),
    semitones: exportSettings.semitones.default(0),
    tempo_percent: exportSettings.tempo_percent.default(100),
  })
  .meta({ id: 'ExportRequest' })
export type ExportRequest = z.infer<typeof ExportRequest>

/** Everything but the id: what decides how the files sound. */
export const ExportPlan = ExportRequest.omit({ id: true })
export type ExportPlan = z.infer<typeof ExportPlan>

/** A file that was made, as it is stored. */
export const StoredFile = z.object({
  /** Name of the artifact. */
  artifact: z.string(),
  /** Name it is saved under. */
  name: z.string(),
  size_bytes: z.int(),
  /** Samples of each channel, before they are encoded. */
  samples: z.int(),
  sample_rate: z.int(),
  /** Null when no loudness was asked for, or the sound is silent. */
  loudness_lufs: z.number().nullable(),
  gain_db: z.number().nullable(),
  limited: z.boolean(),
})
export type StoredFile = z.infer<typeof StoredFile>

const ExportedFile = StoredFile.omit({ artifact: true, loudness_lufs: true, gain_db: true, limited: true })
  .extend({
    number: z.int().min(1),
    duration_seconds: z.number(),
    loudness_lufs: StoredFile.shape.loudness_lufs.meta({
      description: 'Loudness that was reached; peaks that are held back may cost some. Null when none was asked for',
    }),
    gain_db: StoredFile.shape.gain_db.meta({ description: 'To reach the loudness; null when none was asked for' }),
    limited: StoredFile.shape.limited.meta({ description: 'Peaks were held back, so that none is above -1 dBTP' }),
  })
  .meta({ id: 'ExportedFile' })

/** State of an export. */
export const ExportStatus = z.enum(['queued', 'running', 'done', 'failed', 'cancelled'])

/** Files that are made of parts of a job, and how far they are. */
export const Export = z
  .object({
    id: z.uuid(),
    status: ExportStatus,
    progress: z.int().min(0).max(100),
    message: z.string().nullable(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    part_count: z.int().min(1),
    format: exportSettings.format,
    joined: exportSettings.joined,
    loudness_lufs: exportSettings.loudness_lufs,
    semitones: exportSettings.semitones,
    tempo_percent: exportSettings.tempo_percent,
    stretch: z
      .enum(['rubberband', 'atempo'])
      .nullable()
      .meta({ description: 'Filter that changed tempo and pitch; null when neither was changed, or it is not done' }),
    files: z.array(ExportedFile),
  })
  .meta({ id: 'Export' })
export type Export = z.infer<typeof Export>

export const ExportList = z.array(Export).meta({ id: 'ExportList' })

const ids = { job_id: z.string().toLowerCase(), export_id: z.string().toLowerCase() }
export const ExportPath = z.object(ids)
export const ExportFilePath = z.object({ ...ids, number: z.coerce.number().int().min(1).max(maxParts) })
