import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import type { Nodes } from './nodes.ts'
import { Node, NodeCreate, NodeJoin, NodeJoinTokenCreate, NodeList, NodeParams, NodeUpdate } from './schema.ts'

const shared = { tag: 'Nodes', access: 'admin', limit: 'counted' } as const

/** What the routes of nodes call. */
export interface NodeFeature {
  readonly nodes: Nodes
  /** The host at which this service is reached from outside. */
  readonly publicHost: (requestHost: string) => string
  /** Called when a node was changed. */
  readonly onChanged: (id: string) => Promise<void>
}

/** Hosts that run tunnels for this service, for administrators. */
export function nodeRoutes(feature: NodeFeature, publish: Publish, securityLog: SecurityLog): Route[] {
  const changed = async (id: string) => {
    await feature.onChanged(id)
    publish({ type: 'changed', collection: 'nodes', id })
  }
  return [...tokenRoutes(feature, changed, securityLog), ...editRoutes(feature, changed, securityLog)]
}

function tokenRoutes(
  { nodes, publicHost }: NodeFeature,
  changed: (id: string) => Promise<void>,
  securityLog: SecurityLog,
): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/nodes',
        summary: 'Add a node',
        description:
          'The answer holds a join token, which is shown this once. The host that uses it first, with the command of the answer, is the node.',
        body: NodeCreate,
        success: { status: 201, body: messageEnvelope(NodeJoin) },
        errors: [409],
      },
      async ({ body, caller, client }) => {
        const creation = nodes.create(body, { by: caller.username, host: publicHost(client.host) })
        const join = await securityLog.recordAfter(creation, ({ node }) => ({
          kind: 'node_added',
          by: caller,
          from: client,
          target: node.name,
          detail: `join token until ${node.join_token_expires_at}`,
        }))
        await changed(join.node.id)
        return done(join, `Node ${join.node.name} added`)
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/nodes/{id}/join-token',
        summary: 'Make a new join token for a node',
        description:
          'For a node that has not joined in time, or a host that takes its place. One that waits works no more; the node goes on until the new token is used.',
        params: NodeParams,
        body: NodeJoinTokenCreate,
        success: { status: 201, body: messageEnvelope(NodeJoin) },
        errors: [404, 409],
      },
      async ({ params, body, caller, client }) => {
        const context = { by: caller.username, host: publicHost(client.host) }
        const join = await securityLog.recordAfter(nodes.renewToken(params.id, body, context), ({ node }) => ({
          kind: 'node_token_created',
          by: caller,
          from: client,
          target: node.name,
          detail: `expires: ${node.join_token_expires_at}`,
        }))
        await changed(params.id)
        return done(join, `Join token for ${join.node.name} made`)
      },
    ),
  ]
}

function editRoutes({ nodes }: NodeFeature, changed: (id: string) => Promise<void>, securityLog: SecurityLog): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/nodes',
        summary: 'List nodes',
        success: { status: 200, body: dataEnvelope(NodeList) },
      },
      async () => ok(await nodes.list()),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/api/nodes/{id}',
        summary: 'Change the name or the endpoint of a node',
        description: 'Peers of its interfaces need their configuration again when its endpoint changes.',
        params: NodeParams,
        body: NodeUpdate,
        success: { status: 200, body: messageEnvelope(Node) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const node = await nodes.update(params.id, body)
        await changed(node.id)
        return done(node, `Node ${node.name} changed`)
      },
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/nodes/{id}',
        summary: 'Remove a node',
        description:
          'What the host sends is refused from now on. A node that has interfaces, or is the standby of some, is not removed.',
        params: NodeParams,
        success: { status: 200, body: messageEnvelope(Node) },
        errors: [404, 409],
      },
      async ({ params, caller, client }) => {
        const node = await securityLog.recordAfter(nodes.remove(params.id), ({ name }) => ({
          kind: 'node_removed',
          by: caller,
          from: client,
          target: name,
        }))
        await changed(node.id)
        return done(node, `Node ${node.name} removed`)
      },
    ),
  ]
}
