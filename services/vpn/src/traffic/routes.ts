import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { dataEnvelope, ok, idText } from '../envelope.ts'
import type { TrafficHistory } from './history.ts'
import { PeerTraffic, PeerTrafficQuery, TopTraffic, TopTrafficQuery, Traffic, TrafficQuery } from './schema.ts'

const shared = { method: 'GET', tag: 'Metrics', access: 'signed-in', limit: 'counted' } as const

/** Routes of traffic over time. */
export function trafficRoutes(history: TrafficHistory): Route[] {
  return [
    route(
      {
        ...shared,
        path: '/api/metrics/peers/{id}',
        summary: 'What a peer moved in a period',
        description: 'The last 24 hours by the hour, unless told otherwise; at most 10,000 points.',
        params: z.object({ id: idText }),
        query: PeerTrafficQuery,
        success: { status: 200, body: dataEnvelope(PeerTraffic) },
        errors: [404, 422],
      },
      async ({ params, query }) => ok(await history.ofPeer(params.id, query)),
    ),
    route(
      {
        ...shared,
        path: '/api/metrics/traffic',
        summary: 'What all peers moved in a period',
        description: 'Also what deleted peers moved while they were there. At most 10,000 points.',
        query: TrafficQuery,
        success: { status: 200, body: dataEnvelope(Traffic) },
        errors: [404, 422],
      },
      async ({ query }) => ok(await history.ofAll(query)),
    ),
    route(
      {
        ...shared,
        path: '/api/metrics/traffic/top',
        summary: 'The peers that moved most in a period',
        description: 'Counted by whole hours for periods of up to 31 days, by whole days for longer ones.',
        query: TopTrafficQuery,
        success: { status: 200, body: dataEnvelope(TopTraffic) },
        errors: [422],
      },
      async ({ query }) => ok(await history.top(query)),
    ),
  ]
}
