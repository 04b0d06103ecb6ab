import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, messageEnvelope, ok, page, pageEnvelope } from '../envelope.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
import { badRequest } from '../problems.ts'
import type { Interfaces } from './interfaces.ts'
import {
  Interface,
  InterfaceCreate,
  InterfaceDeleted,
  InterfaceListQuery,
  InterfaceName,
  InterfaceParams,
  InterfaceProposal,
  InterfaceUpdate,
} from './schema.ts'

const shared = { tag: 'Interfaces', limit: 'counted' } as const
const member = { ...shared, path: '/api/interfaces/{name}', params: InterfaceParams, errors: [404] } as const

/** What the routes of interfaces call. */
export interface InterfaceFeature {
  readonly interfaces: Interfaces
  readonly propose: () => Promise<InterfaceProposal>
  /** The host at which peers reach this host, or a node; `requestHost` is the one that a request was sent to. */
  readonly endpointHost: (requestHost: string, nodeId: string | null) => Promise<string>
}

/** Interfaces: everyone signed in may read them, administrators change them. */
export function interfaceRoutes(feature: InterfaceFeature, publish: Publish): Route[] {
  const { interfaces, propose } = feature
  return [
    ...readingRoutes(interfaces, propose),
    ...changingRoutes(feature, publish),
    ...switchRoutes(interfaces, publish),
  ]
}

function readingRoutes(interfaces: Interfaces, propose: () => Promise<InterfaceProposal>): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/interfaces',
        summary: 'List interfaces',
        access: 'signed-in',
        query: InterfaceListQuery,
        success: { status: 200, body: pageEnvelope(Interface) },
      },
      async ({ query }) => page(await interfaces.list(query), query),
    ),
    route(
      {
        ...member,
        method: 'GET',
        summary: 'Read an interface',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(Interface) },
      },
      async ({ params }) => ok(await interfaces.get(checkedName(params.name))),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/interface-proposal',
        summary: 'A free name, network and port',
        access: 'admin',
        success: { status: 200, body: dataEnvelope(InterfaceProposal) },
      },
      async () => ok(await propose()),
    ),
  ]
}

function changingRoutes({ interfaces, endpointHost }: InterfaceFeature, publish: Publish): Route[] {
  const moveNote = createMoveNote(interfaces, endpointHost)
  const edited = createEditAnswer(publish, 'interfaces')
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/interfaces',
        summary: 'Create an interface',
        description: 'Makes a key pair and starts the interface, unless `enabled` is false.',
        access: 'admin',
        body: InterfaceCreate,
        success: { status: 201, body: messageEnvelope(Interface) },
        errors: [409],
      },
      ({ body }) => edited(interfaces.create(body), ({ name }) => `Interface ${name} created`),
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change an interface',
        description:
          'Members that are left out stay. Connected peers stay connected where the change allows it. On another node they reach it at the endpoint of that node. A standby runs the same interface at the same time.',
        access: 'admin',
        body: InterfaceUpdate,
        success: { status: 200, body: messageEnvelope(Interface) },
        errors: [404, 409],
      },
      async ({ params, body, client }) => {
        const name = checkedName(params.name)
        const note = await moveNote(name, body.node_id, client.host)
        return edited(interfaces.update(name, body), ({ node }) =>
          note === undefined
            ? `Interface ${name} changed`
            : `Interface ${name} moved to ${node?.name ?? 'this host'}${note}`,
        )
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete an interface with its peers',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(InterfaceDeleted) },
      },
      async ({ params }) => {
        const deleted = interfaces.remove(checkedName(params.name))
        const answer = await edited(deleted, ({ name }) => `Interface ${name} deleted`)
        publish({ type: 'changed', collection: 'peers', id: null })
        return answer
      },
    ),
  ]
}

/** Words about peers that reach an interface elsewhere after a move; undefined when it does not move. */
function createMoveNote(interfaces: Pick<Interfaces, 'get'>, endpointHost: InterfaceFeature['endpointHost']) {
  return async (name: string, to: string | null | undefined, requestHost: string): Promise<string | undefined> => {
    if (to === undefined) return undefined
    const { node, peer_count: count } = await interfaces.get(name)
    const from = node?.id ?? null
    if (from === to) return undefined
    // A node without an address, or one that is not there, has none.
    const hosts = [from, to].map((id) => endpointHost(requestHost, id).catch(() => undefined))
    const [before, after] = await Promise.all(hosts)
    if (count === 0 || (before !== undefined && before === after)) return ''
    return `; ${count} ${count === 1 ? 'peer needs its' : 'peers need their'} configuration again`
  }
}

function switchRoutes(interfaces: Interfaces, publish: Publish): Route[] {
  const edited = createEditAnswer(publish, 'interfaces')
  const switchTo = (verb: 'start' | 'stop', summary: string) =>
    route(
      {
        ...member,
        method: 'POST',
        path: `/api/interfaces/{name}/${verb}`,
        summary,
        description: 'Not an error when it is so already.',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(Interface) },
      },
      ({ params }) =>
        edited(
          interfaces.update(checkedName(params.name), { enabled: verb === 'start' }),
          ({ name }) => `Interface ${name} ${verb === 'start' ? 'started' : 'stopped'}`,
        ),
    )
  return [switchTo('start', 'Start an interface'), switchTo('stop', 'Stop an interface')]
}

/** A name no interface can have is a wrong path, not a missing interface. */
function checkedName(name: string): string {
  const result = InterfaceName.safeParse(name)
  if (!result.success) throw badRequest(`name ${result.error.issues[0]?.message ?? 'is not valid'}`)
  return result.data
}
