import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { done, messageEnvelope, page, pageEnvelope } from '../../envelope.ts'
import type { Publish } from '../../service-event.ts'
import { pendingNote } from '../in-force.ts'
import type { LocalRecords } from './records.ts'
import {
  DnsRecord,
  DnsRecordCreate,
  DnsRecordDeleted,
  DnsRecordImport,
  DnsRecordImportReport,
  DnsRecordListQuery,
  DnsRecordParams,
  DnsRecordUpdate,
  maxImportBytes,
} from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted' } as const
const member = { ...shared, path: '/api/dns/records/{id}', params: DnsRecordParams } as const

/** The operator's local records; every change holds for the next query, unless the resolver does not answer. */
export function recordRoutes(records: LocalRecords, publish: Publish): Route[] {
  const changed = (id: string | null) => publish({ type: 'changed', collection: 'dns_records', id })
  return [
    listRoute(records),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/records',
        summary: 'Create a local record',
        description:
          'The resolver itself answers with it. A name may have several values; an alias (CNAME) stands alone, and may lead to any name.',
        access: 'admin',
        body: DnsRecordCreate,
        success: { status: 201, body: messageEnvelope(DnsRecord) },
        errors: [409],
      },
      async ({ caller, body }) => {
        const { record, inForce } = await records.create(body, caller.username)
        changed(record.id)
        return done(record, `${record.name} has a new ${record.type} record${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a local record',
        access: 'admin',
        body: DnsRecordUpdate,
        success: { status: 200, body: messageEnvelope(DnsRecord) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const { record, inForce } = await records.update(params.id, body)
        changed(record.id)
        return done(record, `Record of ${record.name} changed${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a local record',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(DnsRecordDeleted) },
        errors: [404],
      },
      async ({ params }) => {
        const { inForce, ...removed } = await records.remove(params.id)
        changed(removed.id)
        return done(removed, `Record of ${removed.name} deleted${pendingNote(inForce)}`)
      },
    ),
    importRoute(records, () => changed(null)),
  ]
}

function listRoute(records: LocalRecords): Route {
  return route(
    {
      ...shared,
      method: 'GET',
      path: '/api/dns/records',
      summary: 'List local records',
      description: 'By name.',
      access: 'signed-in',
      query: DnsRecordListQuery,
      success: { status: 200, body: pageEnvelope(DnsRecord) },
    },
    async ({ query }) => page(await records.list(query), query),
  )
}

function importRoute(records: LocalRecords, changed: () => void): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/dns/records/import',
      summary: 'Create local records from a text',
      description:
        'A hosts file, or lines of name, type and value: all of them or none. Records that are there already stay as they are. With `dry_run` the answer says what is wrong; without it a 422 does, and nothing is created.',
      access: 'admin',
      body: DnsRecordImport,
      // A quotation mark or a line break takes two characters in JSON.
      maxBodyBytes: 2 * maxImportBytes + 10_000,
      success: { status: 200, body: messageEnvelope(DnsRecordImportReport) },
      errors: [409],
    },
    async ({ caller, body }) => {
      const { inForce, ...report } = await records.import(body, caller.username)
      if (body.dry_run) return done(report, `${report.created} new records, ${report.faulty} lines with problems`)
      if (report.created > 0) changed()
      const what = report.created === 1 ? '1 record created' : `${report.created} records created`
      return done(report, `${what}${pendingNote(inForce)}`)
    },
  )
}
