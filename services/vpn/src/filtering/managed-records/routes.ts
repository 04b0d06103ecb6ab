import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, page, pageEnvelope, wholeNumber } from '../../envelope.ts'
import type { Publish } from '../../service-event.ts'
import { pendingNote } from '../in-force.ts'
import type { ManagedRecordSets } from './managed-records.ts'
import {
  ManagedRecordEntry,
  ManagedRecordListQuery,
  ManagedRecordChange,
  ManagedRecordParams,
  ManagedRecordReport,
  ManagedRecords,
} from './schema.ts'

const shared = {
  tag: 'DNS',
  limit: 'counted',
} as const
const member = { ...shared, path: '/api/dns/managed-records/{manager}', params: ManagedRecordParams } as const

const Cleared = z.object({ removed: wholeNumber }).meta({ id: 'ManagedRecordsCleared' })

/** Local records that other services keep, such as the names of the sites of a Hearth Sites. */
export function managedRecordRoutes(managed: ManagedRecordSets, publish: Publish): Route[] {
  const changed = () => publish({ type: 'changed', collection: 'dns_records', id: null })
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/managed-records',
        summary: 'List the local records that other services keep',
        description: 'By name.',
        access: 'signed-in',
        query: ManagedRecordListQuery,
        success: { status: 200, body: pageEnvelope(ManagedRecordEntry) },
      },
      async ({ query }) => page(await managed.page(query), query),
    ),
    route(
      {
        ...member,
        method: 'GET',
        summary: 'List the local records that a service keeps',
        description: 'All of them at once. A service that keeps none has an empty list.',
        compressed: true,
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(ManagedRecords) },
      },
      async ({ params: { manager } }) => ok({ manager, records: await managed.list(manager) }),
    ),
    route(
      {
        ...member,
        method: 'POST',
        summary: 'Change the local records that a service keeps',
        description:
          'The resolver answers with them unless an operator has an address or an alias for the name. A record that cannot be is left out and named; the rest is done. Records of operators and of other services never change. A change of nothing is possible, and shows that the caller may make one.',
        access: 'admin',
        body: ManagedRecordChange,
        maxBodyBytes: 1_048_576,
        success: { status: 200, body: messageEnvelope(ManagedRecordReport) },
      },
      async ({ params, body }) => {
        const { inForce, ...report } = await managed.change(params.manager, body)
        if (report.put + report.removed > 0) changed()
        return done(report, `${report.put} records written, ${report.removed} removed${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Remove all local records that a service keeps',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(Cleared) },
      },
      async ({ params }) => {
        const { inForce, removed } = await managed.clear(params.manager)
        if (removed > 0) changed()
        return done({ removed }, `${removed} records removed${pendingNote(inForce)}`)
      },
    ),
  ]
}
