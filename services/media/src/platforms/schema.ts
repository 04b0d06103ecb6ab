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

/** Why a platform refuses this server as a whole: it takes it for a robot, or counts too many requests. */
export const BlockReason = z.enum(['bot_check', 'rate_limited'])
export type BlockReason = z.infer<typeof BlockReason>

/** The platforms as they write themselves. */
export const platformNames: Readonly<Record<Platform, string>> = {
  youtube: 'YouTube',
  tiktok: 'TikTok',
  instagram: 'Instagram',
  facebook: 'Facebook',
}
