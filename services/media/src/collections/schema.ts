import { z } from 'zod'
import { JobTimestamp } from '../jobs/schema.ts'

const name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  // oxlint-disable-next-line no-control-regex -- that is what must not be in it
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must be without control characters')
const jobIds = z.array(z.string().toLowerCase()).max(200).default([])

/** Name of a collection to make, or its new name. */
export const CollectionName = z.strictObject({ name }).meta({ id: 'CollectionName' })

/** Jobs to put into a collection and to take out of it. */
export const CollectionChange = z.strictObject({ add: jobIds, remove: jobIds }).meta({ id: 'CollectionChange' })
export type CollectionChange = z.infer<typeof CollectionChange>

/** A collection of downloads. */
export const Collection = z
  .object({
    id: z.uuid(),
    name: z.string(),
    item_count: z.int().min(0).meta({ description: 'Downloads in it, also those whose file was deleted' }),
    created_at: JobTimestamp,
  })
  .meta({ id: 'Collection' })
export type Collection = z.infer<typeof Collection>

export const CollectionList = z.array(Collection)

export const CollectionDeleted = z.object({ ok: z.literal(true) }).meta({ id: 'CollectionDeleted' })
