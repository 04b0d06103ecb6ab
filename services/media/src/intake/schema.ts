import { z } from 'zod'
import { MediaType, Platform, Quality } from '../platforms/schema.ts'

const count = z.int().min(0)

/** Addresses to download. */
export const Import = z
  .strictObject({
    urls: z.array(z.string().max(8192)).min(1).max(1000),
    type: MediaType,
    quality: Quality.default('max'),
    list: z.string().optional().meta({ description: 'Address of the list that they come from; it knows their titles' }),
  })
  .meta({ id: 'Import' })
export type Import = z.infer<typeof Import>

/** What became of one address. */
export const ImportedUrl = z
  .object({
    url: z.string(),
    outcome: z.enum(['added', 'duplicate', 'refused']),
    job_id: z.uuid().nullable().meta({ description: 'The job that is there already' }),
    detail: z.string().nullable().meta({ description: 'Why it was refused' }),
  })
  .meta({ id: 'ImportedUrl' })
export type ImportedUrl = z.infer<typeof ImportedUrl>

/** Media that wait to become jobs. */
export const Intake = z
  .object({
    waiting: count,
    platforms: z.array(
      z.object({
        platform: Platform,
        waiting: count,
        seconds_left: count.meta({ description: 'Until the next one may become a job' }),
      }),
    ),
  })
  .meta({ id: 'Intake' })
export type Intake = z.infer<typeof Intake>

/** Result of an import. */
export const ImportAnswer = z
  .object({ added: count, duplicates: count, refused: count, results: z.array(ImportedUrl) })
  .meta({ id: 'ImportAnswer' })
export type ImportAnswer = z.infer<typeof ImportAnswer>

export const IntakeCleared = z.object({ ok: z.literal(true), removed: count }).meta({ id: 'IntakeCleared' })
