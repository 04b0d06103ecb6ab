import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { dataEnvelope, idText, ok, page, pageEnvelope } from '../envelope.ts'
import type { ConnectionHistory } from './history.ts'
import { ConnectionExportQuery, ConnectionQuery, ConnectionTimeline, PeerConnection, TimelineQuery } from './schema.ts'

const shared = {
  method: 'GET',
  tag: 'Peers',
  // They say where people are.
  access: 'admin',
  limit: 'counted',
  params: z.object({ id: idText }),
  errors: [404],
} as const
const path = '/api/peers/{id}/connections'

/** When a peer was connected, for administrators. */
export function connectionRoutes(history: ConnectionHistory): Route[] {
  return [
    route(
      {
        ...shared,
        path,
        summary: 'List the connections of a peer',
        description:
          'Newest first. A connection begins with a handshake and ends 180 seconds after its last one, or when the peer is cut off.',
        query: ConnectionQuery,
        success: { status: 200, body: pageEnvelope(PeerConnection) },
      },
      async ({ params, query }) => page(await history.list(params.id, query), query),
    ),
    route(
      {
        ...shared,
        path: `${path}/timeline`,
        summary: 'When a peer was connected in the last days',
        query: TimelineQuery,
        success: { status: 200, body: dataEnvelope(ConnectionTimeline) },
      },
      async ({ params, query }) => ok(await history.timeline(params.id, query)),
    ),
    route(
      {
        ...shared,
        path: `${path}.csv`,
        summary: 'The connections of a peer as a CSV file',
        description: 'Newest first.',
        query: ConnectionExportQuery,
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      async ({ params, query, isHead }) => ({
        content: isHead ? '' : await history.export(params.id, query),
        fileName: 'connections.csv',
      }),
    ),
  ]
}
