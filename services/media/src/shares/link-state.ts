import type { ShareLinkRow } from '../tables.ts'
import type { Share } from './schema.ts'

/** Returns true before the end of a link. */
export const isCurrent = ({ expires_at }: Pick<ShareLinkRow, 'expires_at'>, now: number): boolean =>
  expires_at === null || expires_at > now

/** Returns true while a link may be used once more. */
export const hasUsesLeft = ({ max_uses, uses }: Pick<ShareLinkRow, 'max_uses' | 'uses'>): boolean =>
  max_uses === 0 || uses < max_uses

/** Returns the state of a link for its owner. */
export function stateOf(link: ShareLinkRow, now: number): Share['state'] {
  if (!isCurrent(link, now)) return 'ended'
  return hasUsesLeft(link) ? 'active' : 'used_up'
}
