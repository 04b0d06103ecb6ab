import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope, page, pageEnvelope } from '../envelope.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
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

/** Block lists: everyone who is signed in reads them, administrators change them. */
export function listRoutes(lists: Lists, publish: Publish): Route[] {
  return [...collectionRoutes(lists, publish), ...memberRoutes(lists, publish)]
}

function collectionRoutes(lists: Lists, publish: Publish): Route[] {
  const edited = createEditAnswer(publish, 'blocklists')
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
      async ({ caller, query }) => page(await lists.list(query, caller.role === 'admin'), query),
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
      ({ body }) => edited(lists.create(body), ({ name }) => `List ${name} added`),
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

function memberRoutes(lists: Lists, publish: Publish): Route[] {
  const edited = createEditAnswer(publish, 'blocklists')
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
      ({ params, body }) => edited(lists.update(params.id, body), ({ name }) => `List ${name} changed`),
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a block list',
        success: { status: 200, body: messageEnvelope(BlockListDeleted) },
        errors: [404],
      },
      ({ params }) => edited(lists.remove(params.id), ({ name }) => `List ${name} deleted`),
    ),
  ]
}

function summaryOf({ status, lists }: UpdateReport): string {
  if (lists.length === 0) return 'No list is enabled'
  const count = (wanted: string) => lists.filter((list) => list.status === wanted).length
  if (status === 'running') return `${lists.length - count('waiting') - count('running')} of ${lists.length} lists done`
  return `${count('updated')} updated, ${count('unchanged')} unchanged, ${count('failed')} failed`
}
