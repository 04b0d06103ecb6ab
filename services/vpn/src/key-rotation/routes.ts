import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { messageEnvelope } from '../envelope.ts'
import { Peer, PeerParams } from '../peers/schema.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
import type { KeyRotations } from './key-rotations.ts'
import { KeyRotationBegin } from './schema.ts'

/** New keys for peers; a peer itself shows the one that waits. */
export function keyRotationRoutes(rotations: KeyRotations, publish: Publish): Route[] {
  const edited = createEditAnswer(publish, 'peers')
  const shared = {
    tag: 'Peers',
    limit: 'counted',
    access: 'admin',
    path: '/api/peers/{id}/rotation',
    params: PeerParams,
    success: { status: 200, body: messageEnvelope(Peer) },
  } as const
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Begin to replace the key of a peer',
        description:
          'Configuration, QR code and set-up links have the new key from now on. The old one works until the device connects with the new one, at the latest for `days`.',
        body: KeyRotationBegin,
        errors: [404, 409],
      },
      ({ params, body }) =>
        edited(rotations.begin(params.id, body), ({ name }) => `New key for ${name} made; the old one still works`),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Keep the old key of a peer',
        description: 'Forgets the new key. Nothing changes when none waits.',
        errors: [404],
      },
      ({ params }) => edited(rotations.cancel(params.id), ({ name }) => `${name} keeps its key`),
    ),
  ]
}
