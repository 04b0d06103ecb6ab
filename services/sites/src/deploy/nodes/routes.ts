import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../../access.ts'
import type { ManagedNodes } from './managed-nodes.ts'
import { Node, NodeCreate, NodeOnboard, NodeParams, NodeUpdate } from './schema.ts'

const shared = { tag: 'Servers', access: 'admin' } as const
const one = { ...shared, path: '/api/nodes/{id}', params: NodeParams } as const
const shown = { status: 200, body: Node } as const

/** The Caddy servers: all of them serve the same sites. */
export function nodeRoutes(nodes: ManagedNodes): Route[] {
  return [...listRoutes(nodes), ...changeRoutes(nodes), authorityRoute(nodes)]
}

function listRoutes(nodes: ManagedNodes): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/nodes',
        summary: 'List the servers',
        limit: '60/min',
        success: { status: 200, body: z.array(Node) },
      },
      () => nodes.list(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/nodes',
        summary: 'Add a server',
        description: 'It must answer. It serves the sites once it was onboarded.',
        limit: '10/min',
        body: NodeCreate,
        success: { status: 201, body: Node },
        errors: [409, 503],
      },
      ({ body }) => nodes.add(body),
    ),
    route(
      { ...one, method: 'GET', summary: 'Read a server, asked afresh', limit: '60/min', success: shown },
      ({ params }) => nodes.get(params.id),
    ),
  ]
}

function changeRoutes(nodes: ManagedNodes): Route[] {
  return [
    route(
      {
        ...one,
        method: 'PATCH',
        summary: 'Change a server',
        description: 'What Caddy refuses is as it was. A server that does not answer hears of it when it is back.',
        limit: '10/min',
        body: NodeUpdate,
        success: shown,
        errors: [409, 422],
      },
      ({ params, body, caller }) => nodes.update(params.id, body, caller.username),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Forget a server',
        description: 'What it runs goes on; nothing is changed there.',
        limit: '10/min',
        success: { status: 200, body: z.object({ id: z.int() }).meta({ id: 'NodeDeleted' }) },
        errors: [409],
      },
      async ({ params }) => {
        await nodes.remove(params.id)
        return { id: params.id }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/nodes/{id}/onboard',
        summary: 'Let a server serve the sites',
        params: NodeParams,
        limit: '5/min',
        body: NodeOnboard,
        success: shown,
        errors: [409, 422, 503],
      },
      ({ params, body, caller }) => nodes.onboard(params.id, body.confirm_exclusive, caller.username),
    ),
  ]
}

function authorityRoute(nodes: ManagedNodes): Route {
  return route(
    {
      ...one,
      path: '/api/nodes/{id}/authority',
      method: 'GET',
      summary: 'Certificate of the authority inside a server',
      description: 'Devices that trust it take the certificates of sites with the TLS mode `internal`.',
      limit: '30/min',
      success: { status: 200, media: 'application/x-pem-file', description: 'PEM' },
      errors: [503],
    },
    async ({ params }) => ({ content: await nodes.authority(params.id), fileName: 'caddy-authority.pem' }),
  )
}
