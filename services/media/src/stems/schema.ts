import { z } from 'zod'

export const Stem = z.enum(['vocals', 'instrumental'], { error: 'must be vocals or instrumental' })
export type Stem = z.infer<typeof Stem>

const flag = z
  .string()
  .optional()
  .transform((text) => ['true', '1', 'yes', 'on'].includes((text ?? '').toLowerCase()))

/** Query for a stem, of the whole or of a part. */
export const StemQuery = z.object({ stem: Stem, trimmed: flag, trim_id: z.string().max(30).optional() })
export type StemQuery = z.infer<typeof StemQuery>

export const StemStatusQuery = z.object({ force_refresh: flag })

export const StemStatus = z
  .object({
    ok: z.literal(true),
    configured: z.boolean(),
    email: z.string().nullable(),
    token_valid: z.boolean().nullable().meta({ description: 'null while it was not checked' }),
    validation_error: z.string().nullable(),
    validated_at: z.int().nullable().meta({ description: 'Seconds since the epoch' }),
    remaining_minutes: z.int().nullable().meta({ description: 'null when unknown' }),
  })
  .meta({ id: 'StemStatus' })
export type StemStatus = z.infer<typeof StemStatus>

export const StemAccount = z
  .strictObject({
    email: z.email('must be an e-mail address').min(3).max(320),
    activation_key: z.string().trim().min(1, 'is empty').max(1024).meta({ format: 'password' }),
  })
  .meta({ id: 'StemAccount' })
export type StemAccount = z.infer<typeof StemAccount>

export const StemResult = z
  .object({
    ok: z.literal(true),
    cached: z.boolean(),
    download_url: z.string(),
    filename: z.string(),
    trim_id: z.string().optional(),
  })
  .meta({ id: 'StemResult' })
export type StemResult = z.infer<typeof StemResult>

export const StemAnswer = z.object({ ok: z.literal(true), message: z.string() }).meta({ id: 'StemAnswer' })
