import type { PortalState, PortalSession } from '../portal/portal-state.ts'
import { acrOf, amrOf } from './authentication-methods.ts'
import type { LibraryAdapter } from './oidc-library.ts'
import type { PortalLink } from './portal-link.ts'

/** Begin of the id of a session that stands for one of the portal. No other id of the library has a dot. */
export const portalSessionPrefix = 'portal.'

/** Dependencies of the library's sessions. */
export interface SessionAdapterDependencies {
  readonly state: Pick<PortalState, 'current'>
  readonly link: PortalLink
  readonly now: () => number
  /** Returns the id of the portal's session of the request that the library answers; undefined without one. */
  readonly sessionOfRequest: () => string | undefined
  /** Returns the ids of the applications. */
  readonly clientIds: () => Promise<readonly string[]>
  /** Keeps the state of a page, such as the one that asks whether to sign out. */
  readonly states: LibraryAdapter
}

/**
 * Creates the adapter of the library's sessions. A session is that of the portal: it begins, has a user and ends with it, and only
 * the state of pages is stored. Browsers without a session of the portal get one of the library's, which never has a user.
 */
export function createSessionAdapter(dependencies: SessionAdapterDependencies): LibraryAdapter {
  const { states } = dependencies
  async function find(id: string): Promise<object | undefined> {
    if (!id.startsWith(portalSessionPrefix)) {
      const stored: { accountId?: string } | undefined = await states.find(id)
      return stored?.accountId === undefined ? stored : undefined
    }
    const session = currentSession(dependencies, id.slice(portalSessionPrefix.length))
    // The id is no secret, and the library may read cookies in other ways than this service.
    if (session === undefined || session.id !== dependencies.sessionOfRequest()) return undefined
    const stored: { state?: object } | undefined = await states.find(id)
    return { ...(await payloadOf(dependencies, session)), jti: id, ...(stored?.state && { state: stored.state }) }
  }
  return {
    ...states,
    find,
    findByUid: async (uid) => {
      const session = currentSession(dependencies, uid)
      return session && { ...(await payloadOf(dependencies, session)), jti: `${portalSessionPrefix}${uid}` }
    },
    async upsert(id, payload, expiresIn) {
      const isWaiting = payload['state'] !== undefined
      // Anybody can make the library begin such a session, and without a page that waits nothing in it counts.
      if (payload['accountId'] === undefined)
        return isWaiting ? states.upsert(id, payload, expiresIn) : states.destroy(id)
      if (!isWaiting) return
      // Under another id than the library's, which it changes; no browser can name this one.
      const uid = String(payload['uid'])
      await states.upsert(`${portalSessionPrefix}${uid}`, { state: payload['state'], sessionUid: uid }, expiresIn)
    },
  }
}

function currentSession(
  { state, now }: Pick<SessionAdapterDependencies, 'state' | 'now'>,
  id: string,
): PortalSession | undefined {
  const session = state.current()?.sessions.get(id)
  return session !== undefined && session.endsAt > now() ? session : undefined
}

async function payloadOf({ link, clientIds }: SessionAdapterDependencies, session: PortalSession): Promise<object> {
  const ids = await clientIds()
  const nameOf = (id: string) => ({ sid: link.sid(session.id, id), grantId: link.grantId(session.id, id) })
  return {
    kind: 'Session',
    uid: session.id,
    accountId: session.user.id,
    loginTs: Math.floor(session.provedAt / 1000),
    amr: amrOf(session.provedBy),
    acr: acrOf(session.provedBy),
    iat: Math.floor(session.provedAt / 1000),
    exp: Math.floor(session.endsAt / 1000),
    authorizations: Object.fromEntries(ids.map((id) => [id, nameOf(id)])),
  }
}
