import { type TableState, useTableState } from '../table-state.ts'
import { kindNames, type SecurityEventKind } from './security-events.ts'

/** Number of events on a page. */
export const eventsPerPage = 25

/** Parameters of the API that read one page of the security log. */
export interface SecurityLogQuery {
  readonly limit: number
  readonly offset: number
  readonly kind?: SecurityEventKind
  readonly search?: string
}

/** Search, kind and page of the security log, from the address, with the query of the API that they mean. */
export function useSecurityLogState(): { state: TableState; query: SecurityLogQuery } {
  const state = useTableState(['kind'])
  return { state, query: toSecurityLogQuery(state) }
}

/** Returns the query of the API; an unknown kind in the address means every kind. */
export function toSecurityLogQuery({ search, page, filters }: Pick<TableState, 'search' | 'page' | 'filters'>) {
  const kind = filters['kind'] ?? ''
  return {
    limit: eventsPerPage,
    offset: (page - 1) * eventsPerPage,
    ...(kind in kindNames && { kind: kind as SecurityEventKind }),
    ...(search !== '' && { search }),
  }
}

/** Returns the address of the file with all events of a query. */
export function exportAddress(path: string, format: 'csv' | 'jsonl', { kind, search }: SecurityLogQuery): string {
  const parameters = new URLSearchParams({ ...(kind && { kind }), ...(search && { search }) }).toString()
  return `${path}.${format}${parameters === '' ? '' : `?${parameters}`}`
}
