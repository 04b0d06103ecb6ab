import { z } from 'zod'
import { wholeNumber } from '../envelope.ts'
import { minPassphrase } from './secrets.ts'

/** Bytes of a file, at most. */
export const maxBytes = 4 * 1024 * 1024

const passphrase = z.string().min(minPassphrase).max(1024)

/** What an export is to hold. */
export const ExportRequest = z
  .strictObject({
    passphrase: passphrase.meta({
      description: 'Private and preshared keys come along, encrypted with it',
    }),
  })
  .meta({ id: 'ExportRequest' })

/** A file of wanted state that is to hold. */
export const ApplyRequest = z
  .strictObject({
    text: z.string().max(maxBytes).meta({ description: 'The file, as an export writes it' }),
    passphrase: passphrase.optional().meta({ description: 'Of the secrets in the file; needed when it has some' }),
    dry_run: z.boolean().default(false).meta({ description: 'Only say what would change' }),
    prune: z
      .boolean()
      .default(false)
      .meta({ description: 'Delete what the file does not have, in the sections that it has' }),
    new_keys: z.boolean().default(false).meta({
      description: 'Give interfaces new keys that are to be created and whose private key is not in the file',
    }),
    allow_host_overlap: z
      .boolean()
      .default(false)
      .meta({ description: 'Take networks although their host reaches them over another device' }),
    expected_plan: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'The `plan` of a dry run; refused when something else would change by now' }),
  })
  .meta({ id: 'ApplyRequest' })
export type ApplyRequest = z.infer<typeof ApplyRequest>

const ChangedMember = z.object({
  member: z.string(),
  from: z.string().nullable().meta({ description: 'Null for nothing, and for a secret' }),
  to: z.string().nullable(),
})
export type ChangedMember = z.infer<typeof ChangedMember>

/** One change of the wanted state. */
export const PlannedChange = z
  .object({
    section: z.string().meta({ description: 'Member of the file' }),
    noun: z.string().meta({ description: 'What it is, for a person' }),
    action: z.enum(['create', 'change', 'delete']),
    name: z.string(),
    renamed_from: z.string().nullable(),
    members: z.array(ChangedMember).meta({ description: 'Of an entry that changes' }),
  })
  .meta({ id: 'PlannedChange' })
export type PlannedChange = z.infer<typeof PlannedChange>

/** What a file changed, or would change. */
export const ApplyReport = z
  .object({
    applied: z.boolean(),
    plan: z.string().meta({ description: 'Stands for these changes; see `expected_plan`' }),
    created: wholeNumber,
    changed: wholeNumber,
    deleted: wholeNumber,
    changes: z.array(PlannedChange).meta({ description: 'The first 2,000' }),
    not_in_file: z
      .array(z.object({ section: z.string(), noun: z.string(), name: z.string() }))
      .meta({ description: 'What stays, and would go with `prune`; the first 2,000' }),
  })
  .meta({ id: 'ApplyReport' })
export type ApplyReport = z.infer<typeof ApplyReport>

/** Changes that an answer names. */
export const maxListed = 2000
