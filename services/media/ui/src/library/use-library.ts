import { answer } from '@hearth/ui'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, keys } from '../api.ts'
import { queryOf, type LibraryFilter } from './library-query.ts'

/** Items of a page. */
const pageSize = 60

/** The items that a filter finds, a page at a time; what was found before stays until there is an answer. */
export function useLibrary(filter: LibraryFilter) {
  const query = queryOf(filter)
  const found = useInfiniteQuery({
    queryKey: [...keys.library, query],
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/api/library', { signal, params: { query: { ...query, offset: pageParam, limit: pageSize } } })),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.items.length < pageSize ? undefined : pages.length * pageSize),
    placeholderData: keepPreviousData,
  })
  const pages = found.data?.pages
  const [first] = pages ?? []
  // A download that finishes while pages are read moves the others on.
  const items = useMemo(
    () => [...new Map(pages?.flatMap((page) => page.items).map((job) => [job.id, job])).values()],
    [pages],
  )
  return { ...found, items, total: first?.total ?? 0, isTotalExact: first?.is_total_exact ?? true }
}

/** The tags of the library, the most used first. */
export const useLibraryTags = () =>
  useQuery({ queryKey: keys.libraryTags, queryFn: () => answer(api.GET('/api/library/tags')) })

/** The collections by name. */
export const useCollections = () =>
  useQuery({ queryKey: keys.collections, queryFn: () => answer(api.GET('/api/collections')) })
