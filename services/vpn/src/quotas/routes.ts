import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { done, idText, messageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import type { CountedPeer, Quotas } from './quotas.ts'
import { PeerQuota, PeerQuotaSet } from './schema.ts'

/** Quotas of peers; a peer itself shows its quota. */
export function quotaRoutes(quotas: Quotas, publish: Publish): Route[] {
  const ofPeer = { tag: 'Peers', limit: 'counted', access: 'admin', params: z.object({ id: idText }) } as const
  const path = '/api/peers/{id}/quota'
  const success = { status: 200, body: messageEnvelope(PeerQuota.nullable()) } as const
  const answer = ({ id }: CountedPeer, message: string) => {
    publish({ type: 'changed', collection: 'peers', id })
    return done(quotas.view(id), message)
  }
  return [
    route(
      {
        ...ofPeer,
        method: 'PUT',
        path,
        summary: 'Set the quota of a peer',
        description:
          'Replaces all values, and holds at once. What was counted stays, unless `counts` or `period` is another; a new quota counts from now on.',
        body: PeerQuotaSet,
        success,
        errors: [404],
      },
      async ({ params, body }) => {
        const peer = await quotas.set(params.id, body)
        return answer(peer, `Quota of ${peer.name} set`)
      },
    ),
    route(
      { ...ofPeer, method: 'DELETE', path, summary: 'Remove the quota of a peer', success, errors: [404] },
      async ({ params }) => {
        const peer = await quotas.remove(params.id)
        return answer(peer, `Quota of ${peer.name} removed`)
      },
    ),
    route(
      {
        ...ofPeer,
        method: 'POST',
        path: `${path}/reset`,
        summary: 'Begin the count of a quota anew',
        success,
        errors: [404],
      },
      async ({ params }) => {
        const peer = await quotas.reset(params.id)
        return answer(peer, `Quota of ${peer.name} begun anew`)
      },
    ),
  ]
}
