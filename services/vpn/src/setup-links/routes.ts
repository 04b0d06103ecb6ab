import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import { PeerParams } from '../peers/schema.ts'
import type { Publish } from '../service-event.ts'
import {
  DeviceSetup,
  DeviceSetupRequest,
  SetupLink,
  SetupLinkCreate,
  SetupLinkCreated,
  SetupLinkParams,
  SetupLinks as SetupLinkList,
} from './schema.ts'
import type { SetupLinks } from './setup-links.ts'

const shared = { tag: 'Set-up links', limit: 'counted' } as const

/** Links that hand a device its configuration: administrators make them, the device redeems its one without signing in. */
export function setupLinkRoutes(links: SetupLinks, publish: Publish, securityLog: SecurityLog): Route[] {
  // A page of the peer shows its links.
  const changed = (peerId: string) => publish({ type: 'changed', collection: 'peers', id: peerId })
  return [...managingRoutes(links, changed, securityLog), redeemingRoute(links, changed, securityLog)]
}

function managingRoutes(links: SetupLinks, changed: (peerId: string) => void, securityLog: SecurityLog): Route[] {
  const ofPeer = { ...shared, path: '/api/peers/{id}/setup-links', params: PeerParams, access: 'admin' } as const
  return [
    route(
      {
        ...ofPeer,
        method: 'GET',
        summary: 'List the set-up links of a peer',
        description: 'Newest first. Their values are not kept and never shown again.',
        success: { status: 200, body: dataEnvelope(SetupLinkList) },
        errors: [404],
      },
      async ({ params }) => ok(await links.list(params.id)),
    ),
    route(
      {
        ...ofPeer,
        method: 'POST',
        summary: 'Make a set-up link',
        description:
          'Whoever opens the URL of the answer first gets the configuration with its private key, without signing in, once. The URL is shown in this answer and never again.',
        body: SetupLinkCreate,
        success: { status: 201, body: messageEnvelope(SetupLinkCreated) },
        errors: [404, 409],
      },
      async ({ params, body, caller, client }) => {
        const creation = links.create(params.id, body, { by: caller, origin: client.origin })
        const { peer, link } = await securityLog.recordAfter(creation, (made) => ({
          kind: 'setup_link_created',
          by: caller,
          from: client,
          target: made.peer,
          detail: `expires: ${made.link.expires_at}`,
        }))
        changed(params.id)
        return done(link, `Set-up link for ${peer} made`)
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/setup-links/{id}',
        summary: 'Revoke a set-up link',
        description: 'It stops working at once. A link that is over already stays as it is.',
        access: 'admin',
        params: SetupLinkParams,
        success: { status: 200, body: messageEnvelope(SetupLink) },
        errors: [404],
      },
      async ({ params, caller, client }) => {
        const { peer, peerId, link } = await securityLog.recordAfter(links.revoke(params.id), (revoked) => ({
          kind: 'setup_link_revoked',
          by: caller,
          from: client,
          target: revoked.peer,
        }))
        changed(peerId)
        return done(link, `Set-up link for ${peer} revoked`)
      },
    ),
  ]
}

function redeemingRoute(links: SetupLinks, changed: (peerId: string) => void, securityLog: SecurityLog): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/setup',
      summary: 'Redeem a set-up link',
      description:
        'For the page that a set-up link opens. It works once; a used, expired, revoked or unknown link gets the same 404.',
      access: 'public',
      body: DeviceSetupRequest,
      success: { status: 200, body: dataEnvelope(DeviceSetup) },
      errors: [404, 409],
    },
    async ({ body, client }) => {
      const redeemed = await securityLog.recordAfter(
        links.redeem(body.link, { address: client.address, host: client.host }),
        ({ setup }) => ({ kind: 'setup_link_used', from: client, target: setup.name }),
      )
      changed(redeemed.peerId)
      return ok(redeemed.setup)
    },
  )
}
