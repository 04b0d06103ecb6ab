import { z } from 'zod'
import { idText, pageQuery, plainText, Timestamp, wholeNumber } from '../../envelope.ts'

/** Local records, at most. */
export const maxRecords = 10_000
/** Records of one name, at most. */
export const maxPerName = 100
/** Bytes of a list to import, at most. */
export const maxImportBytes = 1_048_576
/** Lines with problems that a report names, and records that it shows. */
export const maxReported = 100

/** Types of local records. */
export const DnsRecordType = z.enum(['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'SRV', 'PTR'])
export type DnsRecordType = z.infer<typeof DnsRecordType>

const name = plainText(255)
  .min(1)
  .meta({
    description:
      'A domain name; `*.example.com` stands for every name below it without records; PTR also takes an IP address',
    examples: ['nas.home.example', '*.lab.home.example'],
  })

const value = plainText(4000)
  .min(1)
  .meta({
    description:
      'An address (A, AAAA), a name (CNAME, PTR), text (TXT), `10 mail.example.com` (MX), or `priority weight port name` (SRV)',
    examples: ['192.168.1.5', '10 mail.example.com', '0 5 443 web.example.com'],
  })

const ttl = z.int().min(0).max(604_800).meta({ description: 'Seconds a device may remember the answer' })

const reverse = z.boolean().meta({
  description:
    'A and AAAA: the address leads back to the name (PTR), unless it has a PTR record or an older record for the same address does so',
})

/** A local record of an operator: the resolver itself answers with it. */
export const DnsRecord = z
  .object({
    id: z.uuid(),
    name: z.string().meta({ description: 'Lower case, international names in punycode' }),
    type: DnsRecordType,
    value: z.string(),
    ttl: wholeNumber,
    reverse: z.boolean(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
  })
  .meta({ id: 'DnsRecord' })
export type DnsRecord = z.infer<typeof DnsRecord>

/** A local record to create. */
export const DnsRecordCreate = z
  .strictObject({ name, type: DnsRecordType, value, ttl: ttl.default(300), reverse: reverse.default(true) })
  .meta({ id: 'DnsRecordCreate' })
export type DnsRecordCreate = z.infer<typeof DnsRecordCreate>

export const DnsRecordUpdate = z
  .strictObject({
    name: name.optional(),
    type: DnsRecordType.optional(),
    value: value.optional(),
    ttl: ttl.optional(),
    reverse: reverse.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'DnsRecordUpdate' })
export type DnsRecordUpdate = z.infer<typeof DnsRecordUpdate>

export const DnsRecordListQuery = z.strictObject({
  ...pageQuery(50),
  search: plainText(255).optional().meta({ description: 'Part of a name or a value' }),
  type: DnsRecordType.optional(),
})
export type DnsRecordListQuery = z.infer<typeof DnsRecordListQuery>

export const DnsRecordParams = z.object({ id: idText })

export const DnsRecordDeleted = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'DnsRecordDeleted' })

/** Records to create from text. */
export const DnsRecordImport = z
  .strictObject({
    text: z
      .string()
      .refine((all) => Buffer.byteLength(all) <= maxImportBytes, 'must be at most 1 MiB')
      .meta({
        description:
          'Lines of a hosts file (`192.168.1.5 nas.home.example nas`) or of records (`nas.home.example A 192.168.1.5`, with a TTL before the type or without). `#` and `;` begin comments',
      }),
    dry_run: z.boolean().default(false).meta({ description: 'Check only; nothing is created' }),
  })
  .meta({ id: 'DnsRecordImport' })
export type DnsRecordImport = z.infer<typeof DnsRecordImport>

/** What became, or would become, of the lines of a text. */
export const DnsRecordImportReport = z
  .object({
    created: wholeNumber.meta({ description: 'Records created; in a dry run those that would be' }),
    existing: wholeNumber.meta({ description: 'Records that are there already' }),
    faulty: wholeNumber.meta({ description: 'Lines with problems' }),
    problems: z
      .array(z.object({ line: wholeNumber, field: z.string(), message: z.string() }))
      .meta({ description: 'Of the first hundred such lines; lines are counted from 1' }),
    records: z
      .array(DnsRecord.pick({ name: true, type: true, value: true, ttl: true }))
      .meta({ description: 'The first hundred of the new records' }),
  })
  .meta({ id: 'DnsRecordImportReport' })
export type DnsRecordImportReport = z.infer<typeof DnsRecordImportReport>
