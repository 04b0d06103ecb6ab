import { answer } from '@hearth/ui'
import { api } from '../api.ts'
import type { components } from '../api.gen.ts'

/** An applied change, with the sites it changed. */
export type Revision = components['schemas']['Revision']

/** Rows per page of the table. */
export const revisionsPerPage = 25

/** Reads one page of revisions, newest first, and their total number. Throws an `ApiError`. */
export async function readRevisions(query: { limit: number; offset: number }) {
  const { data = [], response } = await api.GET('/api/revisions', { params: { query } })
  return { rows: data as Revision[], total: Number(response.headers.get('x-total-count') ?? data.length) }
}

/** Reads one revision. Throws an `ApiError`. */
export const readRevision = (id: number): Promise<Revision> =>
  answer(api.GET('/api/revisions/{id}', { params: { path: { id } } })) as Promise<Revision>

/** Reads the changes of a revision (`previous`), or those of returning to it (`current`). Throws an `ApiError`. */
export const readRevisionDiff = (id: number, against: 'previous' | 'current') =>
  answer(api.GET('/api/revisions/{id}/diff', { params: { path: { id }, query: { against } } }))
