import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, pageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
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

/** Interfaces: everyone signed in may look, administrators change. */
export function interfaceRoutes(
  interfaces: Interfaces,
  propose: () => Promise<InterfaceProposal>,
  publish: Publish,
): Route[] {
  const changed = (name: string) => publish({ type: 'changed', collection: 'interfaces', id: name })
  const removed = (name: string) => {
    changed(name)
    publish({ type: 'changed', collection: 'peers', id: null })
  }
  return [
    ...readingRoutes(interfaces, propose),
    ...changingRoutes(interfaces, { changed, removed }),
    ...switchRoutes(interfaces, changed),
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
      async ({ query }) => {
        const { rows, total } = await interfaces.list(query)
        return { ...ok(rows), total, limit: query.limit, offset: query.offset }
      },
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

type Tell = (name: string) => void

function changingRoutes(interfaces: Interfaces, { changed, removed }: { changed: Tell; removed: Tell }): Route[] {
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
      async ({ body }) => {
        const made = await interfaces.create(body)
        changed(made.name)
        return done(made, `Interface ${made.name} created`)
      },
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
      async ({ params, body }) => {
        const after = await interfaces.update(checkedName(params.name), body)
        changed(after.name)
        return done(after, `Interface ${after.name} changed`)
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
        const deleted = await interfaces.remove(checkedName(params.name))
        removed(deleted.name)
        return done(deleted, `Interface ${deleted.name} deleted`)
      },
    ),
  ]
}

function switchRoutes(interfaces: Interfaces, changed: (name: string) => void): Route[] {
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
      async ({ params }) => {
        const after = await interfaces.update(checkedName(params.name), { enabled: verb === 'start' })
        changed(after.name)
        return done(after, `Interface ${after.name} ${verb === 'start' ? 'started' : 'stopped'}`)
      },
    )
  return [switchTo('start', 'Start an interface'), switchTo('stop', 'Stop an interface')]
}

/** A name no interface can have is a wrong path, not a missing interface. */
function checkedName(name: string): string {
  const result = InterfaceName.safeParse(name)
  if (!result.success) throw badRequest(`name ${result.error.issues[0]?.message ?? 'is not valid'}`)
  return result.data
}
