import { z } from 'zod'

const Timestamp = z.iso.datetime().nullable()

export const Component = z
  .object({
    label: z.string(),
    current: z.string().nullable(),
    latest: z.string().nullable(),
    update_available: z.boolean(),
    url: z.string(),
    checked_at: Timestamp,
    stale: z.boolean().meta({ description: 'The last request for the newest version failed' }),
  })
  .meta({ id: 'Component' })

/** Versions of the service and of what it works with. */
export const Updates = z
  .object({
    checked_at: Timestamp,
    last_attempt_at: Timestamp,
    complete: z.boolean(),
    components: z.record(z.enum(['app', 'ytdlp', 'ytdlp_ejs', 'js_runtime', 'ffmpeg', 'wavesurfer']), Component),
  })
  .meta({ id: 'Updates' })
export type Updates = z.infer<typeof Updates>

/** Result of a change of yt-dlp. */
export const ToolUpdate = z
  .object({
    ok: z.boolean(),
    version: z.string().nullable().meta({ description: 'The one in use from now on' }),
    message: z.string(),
  })
  .meta({ id: 'ToolUpdate' })
export type ToolUpdate = z.infer<typeof ToolUpdate>
