import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { Library } from './library.ts'
import { LibraryPage, LibraryQuery, TagChange, TagCounts, TagsChanged } from './schema.ts'

/** Searching the library, and the tags of its items. */
export function libraryRoutes({ library }: { library: Library }): Route[] {
  const shared = { tag: 'Library', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/library',
        summary: 'Search the finished downloads',
        limit: '120',
        query: LibraryQuery,
        success: { status: 200, body: LibraryPage },
      },
      ({ query }) => library.search(query),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/library/tags',
        summary: 'Tags of the library',
        limit: '60',
        success: { status: 200, body: TagCounts },
      },
      () => library.tags(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        access: 'submitter',
        path: '/api/library/tags',
        summary: 'Give tags to downloads and take tags from them',
        limit: '60',
        body: TagChange,
        success: { status: 200, body: TagsChanged },
      },
      async ({ body }) => ({ jobs: await library.changeTags(body) }),
    ),
  ]
}
