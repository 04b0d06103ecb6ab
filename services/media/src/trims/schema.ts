import { z } from 'zod'

const second = (what: string) => z.number(`${what} must be a number of seconds`).min(0).max(1_000_000)

/** The part that is wanted, in seconds from the beginning. */
export const TrimRequest = z.strictObject({ start: second('start'), end: second('end') }).meta({ id: 'TrimRequest' })
export type TrimRequest = z.infer<typeof TrimRequest>

/** `<start_ms>_<end_ms>` */
export const TrimId = z.string().regex(/^\d{1,10}_\d{1,10}$/, 'must be <start_ms>_<end_ms>')

export const Trim = z
  .object({
    ok: z.literal(true),
    cached: z.boolean().meta({ description: 'It was there already' }),
    trim_id: TrimId,
    duration: z.number().meta({ description: 'Seconds' }),
    file: z.string().meta({ description: 'Name under which it is delivered' }),
  })
  .meta({ id: 'Trim' })
export type Trim = z.infer<typeof Trim>

export const TrimPath = z.object({ job_id: z.string().toLowerCase(), trim_id: TrimId })

export const TrimList = z
  .array(z.object({ trim_id: TrimId, start: z.number(), end: z.number(), duration: z.number(), file: z.string() }))
  .meta({ id: 'TrimList' })
export type TrimList = z.infer<typeof TrimList>

export const TrimsRemoved = z.object({ ok: z.literal(true), deleted: z.int().min(0) }).meta({ id: 'TrimsRemoved' })
