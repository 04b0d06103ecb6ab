import { z } from 'zod'

/** The platforms media may come from, as they are called on the wire. */
export const Platform = z.enum(['youtube', 'tiktok', 'instagram', 'facebook'])
export type Platform = z.infer<typeof Platform>
