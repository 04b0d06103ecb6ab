import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../../envelope.ts'
import { pendingNote } from '../in-force.ts'
import type { PeerPauses } from './pauses.ts'
import { DnsPeerPauseEnded, DnsPeerPauseParams, DnsPeerPauses } from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted', access: 'admin' } as const

/** Pauses that devices made of their own filter, for administrators. */
export function peerPauseRoutes(pauses: PeerPauses): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/peer-pauses',
        summary: 'List devices that paused their filter',
        description: 'Pauses that people made on the page inside the tunnel, the next to end first.',
        success: { status: 200, body: dataEnvelope(DnsPeerPauses) },
      },
      async () => ok(await pauses.list()),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/dns/peer-pauses/{id}',
        summary: 'End the pause of a device',
        description:
          'Names are blocked for the peer with this id again. The page inside the tunnel says that it ended.',
        params: DnsPeerPauseParams,
        success: { status: 200, body: messageEnvelope(DnsPeerPauseEnded) },
        errors: [404],
      },
      async ({ params }) => {
        const { inForce, ...ended } = await pauses.end(params.id)
        return done(ended, `The filter of ${ended.name} is on again${pendingNote(inForce)}`)
      },
    ),
  ]
}
