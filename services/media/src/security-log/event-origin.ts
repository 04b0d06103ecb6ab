import type { Actor, NewSecurityEvent, RequestOrigin } from '@hearth/accounts'
import type { Caller } from '../access.ts'

/** Returns the one account under its present name, for the security log. */
export const accountActor = (username: string): Actor => ({ userId: 'account', username })

/** Returns who did something and from where, for an event of the security log; nobody is known while sign-in is off. */
export function eventOrigin(
  { username, sessionKey, tokenId }: Caller,
  from: RequestOrigin,
): Pick<NewSecurityEvent, 'by' | 'from'> {
  return { by: sessionKey === undefined && tokenId === undefined ? undefined : accountActor(username), from }
}
