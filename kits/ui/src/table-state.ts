import { useSearchParams } from 'wouter'

/** Search, filters, sort and page of a table. They are kept in the address, so that a reload and the back button keep them. */
export interface TableState {
  search: string
  /** Name of the sorted column for the server; `-name` is descending, '' the table's own order. */
  sort: string
  /** Counted from 1. */
  page: number
  filters: Record<string, string>
  /** Changes something and goes to page 1 unless the change names a page. */
  change(next: Partial<{ search: string; sort: string; page: number; filter: Record<string, string> }>): void
}

/** The table's state in the address: `q`, `sort`, `page` and one parameter for each filter. */
export function useTableState(filterNames: readonly string[] = [], defaultSort = ''): TableState {
  const [params, setParams] = useSearchParams()
  return {
    search: params.get('q') ?? '',
    sort: params.get('sort') ?? defaultSort,
    page: readPage(params.get('page')),
    filters: Object.fromEntries(filterNames.map((name) => [name, params.get(name) ?? ''])),
    change: ({ search, sort, page, filter }) =>
      setParams(
        (present) =>
          withChanges(present, {
            ...filter,
            ...(search === undefined ? {} : { q: search }),
            ...(sort === undefined ? {} : { sort: sort === defaultSort ? '' : sort }),
            page: page === undefined || page === 1 ? '' : String(page),
          }),
        { replace: true },
      ),
  }
}

/** A copy with the changes; an empty value removes its parameter. */
export function withChanges(present: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  const next = new URLSearchParams(present)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}

/** Parses a page number from the address; anything odd is page 1. */
export function readPage(text: string | null): number {
  const page = Number(text)
  return Number.isInteger(page) && page > 0 ? page : 1
}

/** The sort after a click on a column's head: ascending, descending, then the table's own order. */
export function nextSort(present: string, column: string): string {
  if (present === column) return `-${column}`
  return present === `-${column}` ? '' : column
}
