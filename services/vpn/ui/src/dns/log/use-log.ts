import { answer, type TableState } from '@hearth/ui'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../api.ts'
import { type DnsQuery, pendingApi } from '../../pending-api.ts'
import { queriesPerPage, toLogQuery } from './log-query.ts'

interface LogPage {
  data: DnsQuery[]
  total: number
}

/** Twenty readings a minute, of the hundred the service allows. */
const pollEvery = 3000

/**
 * The newest queries, kept current while the log is live. Looking at older ones stops that, so that nothing moves under the
 * reader; going on drops the older ones.
 */
export function useLog(state: Pick<TableState, 'search' | 'filters'>) {
  const [isLive, setLive] = useState(true)
  const cache = useQueryClient()
  const queryKey = [...keys.dnsLog, state.search, state.filters]
  const log = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      answer(
        pendingApi.GET('/api/dns/queries', {
          params: {
            query: { ...toLogQuery(state, new Date()), ...(pageParam === undefined ? {} : { before: pageParam }) },
          },
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ data }: LogPage) => (data.length < queriesPerPage ? undefined : data.at(-1)?.id),
    refetchInterval: isLive ? pollEvery : false,
    staleTime: 0,
  })
  return {
    log,
    rows: log.data?.pages.flatMap(({ data }) => data),
    total: log.data?.pages[0]?.total ?? 0,
    isLive,
    pause: () => setLive(false),
    goOn: () => {
      cache.setQueryData<InfiniteData<LogPage, number | undefined>>(
        queryKey,
        (old) => old && { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
      )
      setLive(true)
      void log.refetch()
    },
    readOlder: () => {
      setLive(false)
      void log.fetchNextPage()
    },
  }
}
