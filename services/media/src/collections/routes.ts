import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { Collections } from './collections.ts'
import { Collection, CollectionChange, CollectionDeleted, CollectionList, CollectionName } from './schema.ts'

const CollectionPath = z.object({ id: z.uuid().toLowerCase() })

/** Collections of downloads. */
export function collectionRoutes({ collections }: { collections: Collections }): Route[] {
  const shared = { tag: 'Library', access: 'member', limit: '60', path: '/api/collections' } as const
  const one = { ...shared, path: '/api/collections/{id}', params: CollectionPath } as const
  return [
    route(
      { ...shared, method: 'GET', summary: 'Collections by name', success: { status: 200, body: CollectionList } },
      () => collections.list(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        access: 'submitter',
        summary: 'Make a collection',
        body: CollectionName,
        success: { status: 201, body: Collection },
        errors: [409],
      },
      ({ body }) => collections.create(body.name),
    ),
    route(
      {
        ...one,
        method: 'PATCH',
        access: 'submitter',
        summary: 'Rename a collection',
        body: CollectionName,
        success: { status: 200, body: Collection },
        errors: [404],
      },
      ({ params, body }) => collections.rename(params.id, body.name),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        access: 'submitter',
        summary: 'Delete a collection; its downloads stay',
        success: { status: 200, body: CollectionDeleted },
        errors: [404],
      },
      async ({ params }) => {
        await collections.delete(params.id)
        return { ok: true as const }
      },
    ),
    route(
      {
        ...one,
        method: 'POST',
        access: 'submitter',
        path: '/api/collections/{id}/jobs',
        summary: 'Put downloads into a collection and take them out',
        body: CollectionChange,
        success: { status: 200, body: Collection },
        errors: [404, 409],
      },
      ({ params, body }) => collections.changeJobs(params.id, body),
    ),
  ]
}
