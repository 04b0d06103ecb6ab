import { z } from 'zod'
import { artifactKinds } from '../artifacts/artifact-kind.ts'
import { JobTimestamp } from '../jobs/schema.ts'
import { MediaType, Quality } from '../platforms/schema.ts'
import { StorageRule } from '../settings/schema.ts'

const bytes = z.int().min(0)
const count = z.int().min(0)

/** What stored files take, and what they may take. */
export const StorageUsage = z
  .object({
    used_bytes: bytes.meta({ description: 'All stored files; one that several downloads share counts once' }),
    reserved_bytes: bytes.meta({ description: 'Kept for downloads and exports that run' }),
    work_bytes: bytes.meta({ description: 'Temporary files of running downloads on this host' }),
    budget_bytes: bytes.meta({ description: '0 is without limit' }),
    rule: StorageRule,
    disk_free_bytes: bytes.meta({ description: 'Space on the disk of this host' }),
    files_disk_free_bytes: bytes
      .nullable()
      .meta({ description: 'Space on the disk of the stored files, where it is another' }),
    kinds: z.array(z.object({ kind: z.enum(artifactKinds), bytes, files: count })),
    is_missing: z.boolean().meta({
      description: 'None of the stored files can be found: their disk is not mounted, or ARTIFACTS names another place',
    }),
    pinned: z.object({ bytes, downloads: count }).meta({ description: 'Downloads that never go' }),
  })
  .meta({ id: 'StorageUsage' })
export type StorageUsage = z.infer<typeof StorageUsage>

const wholeNumber = 'must be a whole number of bytes'
const amount = z.coerce.number(wholeNumber).int(wholeNumber).min(0).max(1e15)

/** A budget to be tried; what is left out is as the settings say. */
export const PreviewQuery = z.object({ budget_bytes: amount.optional(), rule: StorageRule.optional() })

/** A download that would go to make room. */
const Leaving = z.object({
  job_id: z.string(),
  title: z.string(),
  bytes,
  last_used_at: JobTimestamp.nullable(),
})

/** What goes to make room. */
export const StoragePlan = z
  .object({
    shortage_bytes: bytes.meta({ description: 'Bytes over the budget' }),
    freed_bytes: bytes,
    is_enough: z.boolean().meta({ description: 'false when the budget is exceeded even then' }),
    is_complete: z.boolean().meta({ description: 'false when more than 1000 downloads would go' }),
    copies: z
      .object({ bytes, files: count })
      .meta({ description: 'Conversions and waves, which are made again when somebody asks for them; they go first' }),
    downloads: z.object({ bytes, count, first: z.array(Leaving).meta({ description: '100 at most' }) }),
  })
  .meta({ id: 'StoragePlan' })
export type StoragePlan = z.infer<typeof StoragePlan>

export const ForecastQuery = z.object({ url: z.string({ error: 'is missing' }), type: MediaType, quality: Quality })

/** What a download would take, and what would go for it. */
export const StorageForecast = z
  .object({
    bytes: bytes.nullable().meta({ description: 'null when the platform does not say' }),
    budget_bytes: bytes,
    free_bytes: bytes.meta({ description: 'Of the budget, or of the disk without one' }),
    fits: z.boolean().meta({ description: 'false when there is no room even after all that may go' }),
    copies_leaving: count,
    downloads_leaving: count,
  })
  .meta({ id: 'StorageForecast' })
export type StorageForecast = z.infer<typeof StorageForecast>

export const EvictionQuery = z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) })

/** What went to make room, newest first. */
export const EvictionList = z
  .array(
    z.object({
      id: z.string(),
      evicted_at: JobTimestamp,
      job_id: z.string(),
      title: z.string(),
      kind: z.enum(['download', 'copies']),
      bytes,
      reason: z.string(),
    }),
  )
  .meta({ id: 'EvictionList' })
export type EvictionList = z.infer<typeof EvictionList>
