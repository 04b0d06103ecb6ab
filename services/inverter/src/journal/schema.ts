import { z } from 'zod'

const scalar = z.union([z.number(), z.boolean(), z.string()])

/** One write that was sent to a device. */
export const JournalRecord = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    metric: z.string(),
    old_value: scalar.nullable(),
    new_value: scalar,
    readback_value: scalar.nullable(),
    outcome: z.enum(['confirmed', 'unconfirmed', 'failed']),
    cause: z.enum(['api', 'admin', 'dispatch', 'restore']),
    caller: z.string().nullable(),
    operation_id: z.string().nullable(),
  })
  .meta({ id: 'JournalRecord' })
export type JournalRecord = z.infer<typeof JournalRecord>

export const JournalQuery = z.strictObject({
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

export const JournalPage = z
  .object({
    device_id: z.string(),
    entries: z.array(JournalRecord),
    next_before: z.int().nullable().meta({ description: 'Value of `before` for older entries; null at the end' }),
  })
  .meta({ id: 'JournalPage' })
export type JournalPage = z.infer<typeof JournalPage>
