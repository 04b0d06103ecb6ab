import { answer, type TableState } from '@hearth/ui'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type DnsQuery, keys } from '../../api.ts'
import { queriesPerPage, toLogQuery } from './log-query.ts'

interface LogPage {
  data: DnsQuery[]
  total: number
}

/** Events say that there is something new; this is for what is written down a little later, and for a lost connection. */
const pollEvery = 5000

/**
 * The newest queries, kept current while the log is live. Looking at older ones stops that, so that nothing moves under the
 * reader; going on drops the older ones, and another filter begins live.
 */
export function useLog(state: Pick<TableState, 'search' | 'filters'>) {
  const filter = JSON.stringify([state.search, state.filters])
  const [heldFilter, hold] = useState<string>()
  const isLive = heldFilter !== filter
  const cache = useQueryClient()
  const queryKey = [...keys.dnsLog, filter]
  const log = useLogPages(state, queryKey, isLive)
  return {
    log,
    rows: log.data?.pages.flatMap(({ data }) => data),
    total: log.data?.pages[0]?.total ?? 0,
    isLive,
    pause: () => hold(filter),
    goOn: () => {
      cache.setQueryData<InfiniteData<LogPage, number | undefined>>(
        queryKey,
        (old) => old && { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
      )
      hold(undefined)
    },
    readOlder: () => {
      hold(filter)
      void log.fetchNextPage()
    },
  }
}

function useLogPages(state: Pick<TableState, 'search' | 'filters'>, queryKey: readonly string[], isLive: boolean) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/dns/queries', {
          params: {
            query: { ...toLogQuery(state, new Date()), ...(pageParam === undefined ? {} : { before: pageParam }) },
          },
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ data }: LogPage) => (data.length < queriesPerPage ? undefined : data.at(-1)?.id),
    enabled: isLive,
    refetchInterval: isLive ? pollEvery : false,
    staleTime: 0,
  })
}
