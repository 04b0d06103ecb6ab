import type { TableState } from '@hearth/ui'
import type { Peer } from '../api.ts'
import type { paths } from '../api.gen.ts'

/** Query of the peer list. */
export type PeerQuery = NonNullable<paths['/api/peers']['get']['parameters']['query']>

/** Peers on one page of the table. */
export const peersPerPage = 25

/** The table's state as the API wants it; only what is set is sent. */
export function toPeerQuery(state: Pick<TableState, 'search' | 'sort' | 'page' | 'filters'>): PeerQuery {
  const column = state.sort.replace(/^-/, '')
  const status = state.filters['status']
  return {
    limit: peersPerPage,
    offset: (state.page - 1) * peersPerPage,
    ...(state.search === '' ? {} : { search: state.search }),
    ...(column === ''
      ? {}
      : { sort: column as PeerQuery['sort'] & string, order: state.sort.startsWith('-') ? 'desc' : 'asc' }),
    ...(state.filters['interface'] ? { interface: state.filters['interface'] } : {}),
    ...(status ? { status: status as Peer['status'] } : {}),
  }
}
