import { z } from 'zod'
import { describeUserAgent } from './describe-user-agent.ts'
import { sessionIdOf } from './session-id.ts'
import type { Session } from './sessions.ts'

/** A session as its user sees it in the list of their own. */
export const OwnSession = z
  .object({
    id: z.string().meta({ description: 'Lasts until the session gets another key' }),
    is_current: z.boolean().meta({ description: 'The session of this request' }),
    device: z.string().nullable().meta({ description: 'Browser and system, as the browser named itself' }),
    address: z.string().nullable().meta({ description: 'Address of the sign-in' }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime(),
  })
  .meta({ id: 'OwnSession' })
export type OwnSession = z.infer<typeof OwnSession>

/** Answer that lists a user's own sessions. */
export const OwnSessions = z.object({ sessions: z.array(OwnSession) }).meta({ id: 'OwnSessions' })

/** Path parameter of a session to end. */
export const OwnSessionPath = z.object({ id: z.string().regex(/^[0-9a-f]{32}$/, 'must be the id of a session') })

/** Returns a session as the security log names it, such as `Firefox on Linux at 192.0.2.7`. */
export function nameOfSession({ userAgent, address }: Pick<Session, 'userAgent' | 'address'>): string {
  const device = describeUserAgent(userAgent ?? '') ?? 'unknown device'
  return address === null ? device : `${device} at ${address}`
}

/** Returns a user's sessions in wire form, the one with this hash of a key first, then by last use. */
export function describeOwnSessions(sessions: readonly Session[], currentKeyHash: string | undefined): OwnSession[] {
  return sessions
    .map((session) => ({
      id: sessionIdOf(session),
      is_current: session.keyHash === currentKeyHash,
      device: describeUserAgent(session.userAgent ?? ''),
      address: session.address,
      created_at: new Date(session.createdAt).toISOString(),
      last_used_at: new Date(session.lastUsedAt).toISOString(),
    }))
    .toSorted(
      (one, other) =>
        Number(other.is_current) - Number(one.is_current) || other.last_used_at.localeCompare(one.last_used_at),
    )
}
