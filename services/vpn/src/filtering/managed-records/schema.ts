import { z } from 'zod'
import { pageQuery, plainText, wholeNumber } from '../../envelope.ts'

/** Managed records of all services together, at most. */
export const maxManagedRecords = 10_000

/** Records of one change, at most. */
const maxChange = 1000

/** Name of a service that keeps records, such as `sites-4f1c`. */
const Manager = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 lower case letters, digits or hyphens')
  .meta({ description: 'Name of the service that keeps the records', examples: ['sites-4f1c'] })

export const ManagedRecordParams = z.object({ manager: Manager })

const key = {
  name: plainText(255).min(1),
  type: z.enum(['A', 'AAAA']),
  value: plainText(64).min(1),
}
const ManagedRecordKey = z.strictObject(key).meta({ id: 'ManagedRecordKey' })

/** A record as a service writes it. */
export const ManagedRecordPut = z
  .strictObject({ ...key, ttl: z.int().min(0).max(604_800).default(60) })
  .meta({ id: 'ManagedRecordPut' })
export type ManagedRecordPut = z.infer<typeof ManagedRecordPut>

/** A record that a service keeps. */
export const ManagedRecord = z
  .object({
    name: z.string(),
    type: key.type,
    value: z.string(),
    ttl: wholeNumber,
    overridden: z.boolean().meta({
      description: 'An operator has an address or an alias (CNAME) for the name, which is answered instead',
    }),
  })
  .meta({ id: 'ManagedRecord' })
export type ManagedRecord = z.infer<typeof ManagedRecord>

/** A record in the list of all services. */
export const ManagedRecordEntry = ManagedRecord.extend({ manager: z.string() }).meta({ id: 'ManagedRecordEntry' })
export type ManagedRecordEntry = z.infer<typeof ManagedRecordEntry>

export const ManagedRecordListQuery = z.strictObject({
  ...pageQuery(25),
  search: plainText(255).optional().meta({ description: 'Part of a name, a value, or the name of a service' }),
})
export type ManagedRecordListQuery = z.infer<typeof ManagedRecordListQuery>

/** All records that one service keeps. */
export const ManagedRecords = z
  .object({ manager: z.string(), records: z.array(ManagedRecord) })
  .meta({ id: 'ManagedRecords' })

/** A change of the records of one service. */
export const ManagedRecordChange = z
  .strictObject({
    put: z.array(ManagedRecordPut).max(maxChange).default([]),
    remove: z.array(ManagedRecordKey).max(maxChange).default([]),
  })
  .meta({ id: 'ManagedRecordChange' })
export type ManagedRecordChange = z.infer<typeof ManagedRecordChange>

/** Outcome of a change. What is refused is left out; the rest is done. */
export const ManagedRecordReport = z
  .object({
    put: wholeNumber.meta({ description: 'Records created or given another TTL' }),
    removed: wholeNumber,
    refused: z.array(z.object({ ...key, message: z.string() })),
    overridden: z.array(z.string()).meta({ description: 'Names written for which an operator has addresses' }),
  })
  .meta({ id: 'ManagedRecordReport' })
export type ManagedRecordReport = z.infer<typeof ManagedRecordReport>
