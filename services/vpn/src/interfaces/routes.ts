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

/** Interfaces: everyone signed in may read them, administrators change them. */
export function interfaceRoutes(
  interfaces: Interfaces,
  propose: () => Promise<InterfaceProposal>,
  publish: Publish,
): Route[] {
  return [
    ...readingRoutes(interfaces, propose),
    ...changingRoutes(interfaces, publish),
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

function changingRoutes(interfaces: Interfaces, publish: Publish): Route[] {
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
        description: 'Members that are left out stay. Connected peers stay connected where the change allows it.',
        access: 'admin',
        body: InterfaceUpdate,
        success: { status: 200, body: messageEnvelope(Interface) },
        errors: [404, 409],
      },
      ({ params, body }) =>
        edited(interfaces.update(checkedName(params.name), body), ({ name }) => `Interface ${name} changed`),
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
