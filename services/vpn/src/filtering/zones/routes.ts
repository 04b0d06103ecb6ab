import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, page, pageEnvelope } from '../../envelope.ts'
import type { Publish } from '../../service-event.ts'
import { pendingNote } from '../in-force.ts'
import {
  DnsZone,
  DnsZoneCreate,
  DnsZoneDeleted,
  DnsZoneListQuery,
  DnsZoneParams,
  DnsZoneTest,
  DnsZoneTestResult,
  DnsZoneUpdate,
} from './schema.ts'
import type { Zones } from './zones.ts'

const shared = { tag: 'DNS', limit: 'counted' } as const
const member = { ...shared, path: '/api/dns/zones/{id}', params: DnsZoneParams } as const

/** Zones with servers of their own; every change holds for the next query, unless the resolver does not answer. */
export function zoneRoutes(zones: Zones, publish: Publish): Route[] {
  const changed = (id: string) => publish({ type: 'changed', collection: 'dns_zones', id })
  return [
    listRoute(zones),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/zones',
        summary: 'Send the names of a zone to servers of its own',
        description:
          'Its names reach no other server, and their answers may be private. When none of its servers answers, the client gets SERVFAIL, or an outdated answer where the settings allow that.',
        access: 'admin',
        body: DnsZoneCreate,
        success: { status: 201, body: messageEnvelope(DnsZone) },
        errors: [409],
      },
      async ({ caller, body }) => {
        const { zone, inForce } = await zones.create(body, caller.username)
        changed(zone.id)
        return done(zone, `Names in ${zone.zone} are sent to ${zone.servers[0]}${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a zone',
        access: 'admin',
        body: DnsZoneUpdate,
        success: { status: 200, body: messageEnvelope(DnsZone) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const { zone, inForce } = await zones.update(params.id, body)
        changed(zone.id)
        return done(zone, `Zone ${zone.zone} changed${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a zone',
        description: 'Its names are sent to the servers for all names again.',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(DnsZoneDeleted) },
        errors: [404],
      },
      async ({ params }) => {
        const { inForce, ...removed } = await zones.remove(params.id)
        changed(removed.id)
        return done(removed, `Zone ${removed.zone} deleted${pendingNote(inForce)}`)
      },
    ),
    testRoute(zones),
  ]
}

function listRoute(zones: Zones): Route {
  return route(
    {
      ...shared,
      method: 'GET',
      path: '/api/dns/zones',
      summary: 'List zones with servers of their own',
      description: 'By name, with the state of each server.',
      access: 'signed-in',
      query: DnsZoneListQuery,
      success: { status: 200, body: pageEnvelope(DnsZone) },
    },
    async ({ query }) => page(await zones.list(query), query),
  )
}

function testRoute(zones: Zones): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/dns/zones/test',
      summary: 'Ask servers whether they know a zone',
      description: 'Each server is asked for the SOA record of the zone; nothing is stored.',
      access: 'admin',
      body: DnsZoneTest,
      success: { status: 200, body: dataEnvelope(DnsZoneTestResult) },
    },
    async ({ body }) => ok(await zones.test(body)),
  )
}
