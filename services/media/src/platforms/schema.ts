import { z } from 'zod'

/** The platforms media may come from, as they are called on the wire. */
export const Platform = z.enum(['youtube', 'tiktok', 'instagram', 'facebook'])
export type Platform = z.infer<typeof Platform>

/** Type of a download: the sound alone, or the video. */
export const MediaType = z.enum(['audio', 'video'])
export type MediaType = z.infer<typeof MediaType>

/** Quality of a download, best first. */
export const Quality = z.enum(['max', 'medium', 'small'])
export type Quality = z.infer<typeof Quality>
