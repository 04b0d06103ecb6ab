import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope, ok, pageEnvelope } from '../envelope.ts'
import type { Lists } from './lists.ts'
import {
  BlockList,
  BlockListChange,
  BlockListCreate,
  BlockListDeleted,
  BlockListParams,
  BlockListQuery,
  UpdateReport,
} from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted' } as const

/** Block lists: everyone who is signed in reads them, administrators change them. `changed` tells pages to read them again. */
export function listRoutes(lists: Lists, changed: (id: string) => void): Route[] {
  return [...collectionRoutes(lists, changed), ...memberRoutes(lists, changed)]
}

function collectionRoutes(lists: Lists, changed: (id: string) => void): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/blocklists',
        summary: 'List the block lists',
        access: 'signed-in',
        query: BlockListQuery,
        success: { status: 200, body: pageEnvelope(BlockList) },
      },
      async ({ caller, query }) => {
        const { rows, total } = await lists.list(query, caller.role === 'admin')
        return { ...ok(rows), total, limit: query.limit, offset: query.offset }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/blocklists',
        summary: 'Add a block list',
        description:
          'An enabled list is fetched at once. Addresses in private networks are refused unless `OUTBOUND_ALLOW` names them.',
        access: 'admin',
        body: BlockListCreate,
        success: { status: 201, body: messageEnvelope(BlockList) },
        errors: [409],
      },
      async ({ body }) => {
        const list = await lists.create(body)
        changed(list.id)
        return done(list, `List ${list.name} added`)
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/blocklists/update',
        summary: 'Update the block lists',
        description:
          'Fetches all enabled lists, or joins the update that is running. Answers when it is done, or after a few seconds with `status` `running`. A list that cannot be fetched keeps its old text.',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(UpdateReport) },
      },
      async () => {
        const report = await lists.startUpdate()
        return done(report, summaryOf(report))
      },
    ),
  ]
}

function memberRoutes(lists: Lists, changed: (id: string) => void): Route[] {
  const member = { ...shared, path: '/api/dns/blocklists/{id}', params: BlockListParams, access: 'admin' } as const
  return [
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a block list',
        description:
          'Members that are left out stay. The old text stays in force until one from a new address is fetched.',
        body: BlockListChange,
        success: { status: 200, body: messageEnvelope(BlockList) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const list = await lists.update(params.id, body)
        changed(list.id)
        return done(list, `List ${list.name} changed`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a block list',
        success: { status: 200, body: messageEnvelope(BlockListDeleted) },
        errors: [404],
      },
      async ({ params }) => {
        const { id, name } = await lists.remove(params.id)
        changed(id)
        return done({ id, name }, `List ${name} deleted`)
      },
    ),
  ]
}

function summaryOf({ status, lists }: UpdateReport): string {
  if (lists.length === 0) return 'No list is enabled'
  const count = (wanted: string) => lists.filter((list) => list.status === wanted).length
  if (status === 'running') return `${lists.length - count('waiting') - count('running')} of ${lists.length} lists done`
  return `${count('updated')} updated, ${count('unchanged')} unchanged, ${count('failed')} failed`
}
