import { z } from 'zod'
import { JobTimestamp } from '../jobs/schema.ts'
import { MediaType } from '../platforms/schema.ts'

const count = z.int().min(0)

/** A share link with its uses and its end. */
export const ShareLink = z
  .object({
    ok: z.literal(true),
    url: z.string().meta({ description: 'Ends in the token' }),
    max_uses: count.meta({ description: '0 is unlimited' }),
    uses: count,
    expires_at: JobTimestamp.nullable(),
  })
  .meta({ id: 'ShareLink' })
export type ShareLink = z.infer<typeof ShareLink>

/** The form of every token there ever was. */
export const ShareToken = z.string().regex(/^[\w-]{8,128}$/)

/** What stands behind the token in an address: the position of a file, its picture or its wave, or all files. */
export const ShareFileName = z.string().regex(/^(?:[1-9]\d{0,2}(?:\.jpg|\.json)?|all\.zip)$/)

export const SharesRevoked = z.object({ ok: z.literal(true), deleted: count }).meta({ id: 'SharesRevoked' })

/** Maximum number of files of a link. */
export const maxShareFiles = 100

const name = z.string().trim().min(1).max(120).nullable().meta({ description: 'Title of the page' })
const password = z.string().min(6).max(200).nullable().meta({ description: 'Visitors need it; null for none' })
const maxUses = z.int().min(0).max(10_000).meta({ description: '0 is unlimited' })
const end = z.iso.datetime({ offset: true }).nullable().meta({ description: 'Null for no end' })

/** A share to make. What is left out is as the settings say. */
export const ShareCreate = z
  .strictObject({
    job_ids: z
      .array(z.uuid().toLowerCase())
      .min(1)
      .max(maxShareFiles)
      .meta({ description: 'In the order of the page' }),
    name: name.optional(),
    password: password.optional(),
    max_uses: maxUses.optional(),
    expires_at: end.optional(),
  })
  .meta({ id: 'ShareCreate' })
export type ShareCreate = z.infer<typeof ShareCreate>

/** Members of a share to change. */
export const ShareChange = z
  .strictObject({
    name: name.optional(),
    password: password.optional(),
    max_uses: maxUses.optional(),
    expires_at: end.optional(),
  })
  .meta({ id: 'ShareChange' })
export type ShareChange = z.infer<typeof ShareChange>

const id = z.string().regex(/^[0-9a-f]{64}$/)

/** A share link as its owner sees it. */
export const Share = z
  .object({
    id,
    url: z.string().meta({ description: 'Ends in the token' }),
    name: z.string().nullable(),
    state: z.enum(['active', 'ended', 'used_up']),
    has_password: z.boolean(),
    max_uses: count.meta({ description: '0 is unlimited' }),
    uses: count,
    created_at: JobTimestamp,
    expires_at: JobTimestamp.nullable(),
    last_fetched_at: JobTimestamp.nullable(),
    files: z.array(
      z.object({
        job_id: z.uuid(),
        title: z.string().nullable(),
        type: MediaType,
        is_available: z.boolean().meta({ description: 'False while the job has no finished file' }),
      }),
    ),
  })
  .meta({ id: 'Share' })
export type Share = z.infer<typeof Share>

export const ShareList = z.array(Share)

export const ShareListQuery = z.object({
  job_id: z.string().toLowerCase().optional().meta({ description: 'Shares with this file' }),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
export type ShareListQuery = z.infer<typeof ShareListQuery>

export const SharePath = z.object({ id })

export const ShareRevoked = z.object({ ok: z.literal(true) }).meta({ id: 'ShareRevoked' })

/** The password of a link, as a visitor enters it. */
export const SharePassword = z.object({ password: z.string().max(200).default('') }).meta({ id: 'SharePassword' })

/** A file that somebody began to fetch. */
export const ShareFetch = z
  .object({
    id: z.uuid(),
    fetched_at: JobTimestamp,
    network: z.string().meta({ description: 'Shortened address: a /24 of IPv4, a /48 of IPv6' }),
    job_id: z.uuid(),
    title: z.string().nullable(),
  })
  .meta({ id: 'ShareFetch' })
export type ShareFetch = z.infer<typeof ShareFetch>

export const ShareFetchList = z.array(ShareFetch)
