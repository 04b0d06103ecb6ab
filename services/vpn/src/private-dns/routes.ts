import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import { PeerParams } from '../peers/schema.ts'
import type { Publish } from '../service-event.ts'
import type { PrivateDns } from './private-dns.ts'
import { PeerPrivateDns, PeerPrivateDnsCreated, PrivateDnsStatus } from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted', access: 'admin' } as const

/** DNS over TLS and HTTPS for devices outside the tunnels. */
export function privateDnsRoutes(privateDns: PrivateDns, publish: Publish, securityLog: SecurityLog): Route[] {
  const ofPeer = { ...shared, path: '/api/peers/{id}/private-dns', params: PeerParams } as const
  const changed = (peerId: string) => publish({ type: 'changed', collection: 'peers', id: peerId })
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/private',
        summary: 'Read how DNS outside the tunnels goes',
        description: 'Addresses, certificate and number of devices. What is set comes from the environment.',
        success: { status: 200, body: dataEnvelope(PrivateDnsStatus) },
      },
      async () => ok(await privateDns.status()),
    ),
    route(
      {
        ...ofPeer,
        method: 'GET',
        summary: 'Read whether a peer may ask for names outside the tunnel',
        success: { status: 200, body: dataEnvelope(PeerPrivateDns) },
        errors: [404],
      },
      async ({ params }) => ok(await privateDns.read(params.id)),
    ),
    route(
      {
        ...ofPeer,
        method: 'POST',
        summary: 'Make the address by which a peer asks for names outside the tunnel',
        description:
          'The addresses and the profile of the answer hold a new secret, which is shown in this answer and never again. The secret that the peer had works no more.',
        success: { status: 201, body: messageEnvelope(PeerPrivateDnsCreated) },
        errors: [404, 409],
      },
      async ({ params, caller, client }) => {
        const { peer, created } = await securityLog.recordAfter(privateDns.create(params.id, caller), (made) => ({
          kind: 'dns_secret_created',
          by: caller,
          from: client,
          target: made.peer,
        }))
        changed(params.id)
        return done(created, `Private DNS address for ${peer} made`)
      },
    ),
    route(
      {
        ...ofPeer,
        method: 'DELETE',
        summary: 'Withdraw the address by which a peer asks for names outside the tunnel',
        description: 'It works no more at once. Without one nothing changes.',
        success: { status: 200, body: messageEnvelope(PeerPrivateDns) },
        errors: [404],
      },
      async ({ params, caller, client }) => {
        const { peer, left } = await securityLog.recordAfter(privateDns.withdraw(params.id), (withdrawn) => ({
          kind: 'dns_secret_withdrawn',
          by: caller,
          from: client,
          target: withdrawn.peer,
        }))
        changed(params.id)
        return done(left, `Private DNS address for ${peer} withdrawn`)
      },
    ),
  ]
}
