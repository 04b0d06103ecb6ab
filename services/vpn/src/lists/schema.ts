import { z } from 'zod'
import { idText, pageQuery, Timestamp, wholeNumber } from '../envelope.ts'

/** Format of a list's text; `auto` detects it. */
export const BlockListFormat = z
  .enum(['auto', 'hosts', 'domains', 'wildcard', 'adblock', 'dnsmasq'])
  .meta({ description: 'How a list is written; auto looks at its lines' })
export type BlockListFormat = z.infer<typeof BlockListFormat>

/** Characters of a list's name, at most. */
export const maxListName = 64

/** One to 64 characters; what people call a list, also in blocked answers. */
const ListName = z
  .string()
  .trim()
  .min(1)
  .max(maxListName)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must not contain control characters')

/** An address a list can be fetched from, in its one form. */
export const ListUrl = z
  .string()
  .max(2048)
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
    if (url === undefined || !isWeb || url.hostname === '' || url.username !== '' || url.password !== '') {
      context.addIssue({ code: 'custom', message: 'must be an http or https address without user name and password' })
      return z.NEVER
    }
    url.hash = ''
    return url.href
  })

export const BlockList = z
  .object({
    id: z.uuid(),
    name: z.string(),
    url: z.string().meta({ description: 'For others than administrators its host only: it may hold a secret' }),
    format: BlockListFormat,
    enabled: z.boolean(),
    entries: wholeNumber.meta({ description: 'Names and patterns; 0 until the first update' }),
    unsupported: wholeNumber.meta({ description: 'Lines that mean nothing to a resolver' }),
    unsupported_reasons: z.record(z.string(), wholeNumber).meta({ description: 'The same by reason' }),
    unsupported_examples: z
      .array(z.object({ line: wholeNumber, text: z.string(), reason: z.string() }))
      .meta({ description: 'A few of them, at most four of a reason; `line` counts from 1' }),
    last_updated: Timestamp.nullable().meta({ description: 'When its text last changed' }),
    last_checked: Timestamp.nullable().meta({ description: 'Time of the last request to its server' }),
    last_error: z.string().nullable().meta({ description: 'Why the last update failed; the old text stays in force' }),
  })
  .meta({ id: 'BlockList' })
export type BlockList = z.infer<typeof BlockList>

/** A list to create. */
export const BlockListCreate = z
  .strictObject({
    name: ListName,
    url: ListUrl,
    format: BlockListFormat.default('auto'),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'BlockListCreate' })
export type BlockListCreate = z.infer<typeof BlockListCreate>

export const BlockListChange = z
  .strictObject({
    name: ListName.optional(),
    url: ListUrl.optional(),
    format: BlockListFormat.optional(),
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'BlockListChange' })
export type BlockListChange = z.infer<typeof BlockListChange>

export const BlockListParams = z.object({ id: idText })
export const BlockListQuery = z.strictObject(pageQuery(100))
export const BlockListDeleted = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'BlockListDeleted' })

/** State of the update of one list. */
export const ListUpdate = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(['waiting', 'running', 'updated', 'unchanged', 'failed']),
    entries: wholeNumber,
    added: wholeNumber,
    removed: wholeNumber,
    duration_ms: wholeNumber,
    error: z.string().nullable(),
  })
  .meta({ id: 'BlockListUpdateItem' })
export type ListUpdate = z.infer<typeof ListUpdate>

/** An update of lists, running or done. */
export const UpdateReport = z
  .object({ started_at: Timestamp, status: z.enum(['running', 'done']), lists: z.array(ListUpdate) })
  .meta({ id: 'BlockListUpdate' })
export type UpdateReport = z.infer<typeof UpdateReport>
