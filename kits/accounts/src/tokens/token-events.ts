import type { NewSecurityEvent } from '../security-log/security-event.ts'
import type { NewBoundToken } from './bound-tokens.ts'

type Origin = Pick<NewSecurityEvent, 'by' | 'from'>

/** Returns the event of a new token for the security log. */
export const tokenCreated = (
  { name, permissions, expires }: Pick<NewBoundToken<string>, 'name' | 'permissions' | 'expires'>,
  origin: Origin,
): NewSecurityEvent => ({
  kind: 'token_created',
  ...origin,
  target: name,
  detail: `${permissions}, expires: ${expires}`,
})

/** Returns the event of a revoked token for the security log. */
export const tokenRevoked = ({ name }: { name: string }, origin: Origin): NewSecurityEvent => ({
  kind: 'token_revoked',
  ...origin,
  target: name,
})
