import { answer } from '@hearth/ui'
import { api } from '../api.ts'
import type { components } from '../api.gen.ts'

export type Revision = components['schemas']['Revision']

/** Rows of one page of the table. */
export const revisionsPerPage = 25

/** One page of revisions, newest first, and how many there are. Throws an `ApiError`. */
export async function readRevisions(query: { limit: number; offset: number }) {
  const { data = [], response } = await api.GET('/api/revisions', { params: { query } })
  return { rows: data as Revision[], total: Number(response.headers.get('x-total-count') ?? data.length) }
}

/** One revision. Throws an `ApiError`. */
export const readRevision = (id: number): Promise<Revision> =>
  answer(api.GET('/api/revisions/{id}', { params: { path: { id } } })) as Promise<Revision>

/** What a revision changed (`previous`), or what returning to it would change (`current`). Throws an `ApiError`. */
export const readRevisionDiff = (id: number, against: 'previous' | 'current') =>
  answer(api.GET('/api/revisions/{id}/diff', { params: { path: { id }, query: { against } } }))
