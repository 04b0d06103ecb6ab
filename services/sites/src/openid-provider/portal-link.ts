import { createHmac, hkdfSync } from 'node:crypto'

/** Names that follow from a session of the portal and an application. */
export type PortalLink = ReturnType<typeof createPortalLink>

/**
 * Creates the names. They follow from the service's key, so that nothing has to be stored before it is needed, and two tabs of one
 * browser cannot disagree.
 *
 * @param secret the service's key
 */
export function createPortalLink(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hearth sites openid', 32))
  const nameOf = (kind: string, sessionId: string, clientId: string) =>
    createHmac('sha256', key).update(`${kind}\n${sessionId}\n${clientId}`).digest('base64url')
  return {
    /** Id of the grant of an application in a session. */
    grantId: (sessionId: string, clientId: string): string => nameOf('grant', sessionId, clientId),
    /** Name of the session towards an application; each application has another one. */
    sid: (sessionId: string, clientId: string): string => nameOf('sid', sessionId, clientId),
  }
}
