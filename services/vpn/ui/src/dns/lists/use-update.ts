import { answer, useAction } from '@hearth/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../api.ts'
import { type BlocklistUpdate, pendingApi } from '../../pending-api.ts'

/** What the cache knows of the present or the last update of this page's time. */
export const listUpdateKey = ['blocklist_update'] as const

/** Updates all lists; who comes second looks on. */
export function useListUpdate() {
  const cache = useQueryClient()
  const { data } = useQuery<BlocklistUpdate | null>({
    queryKey: listUpdateKey,
    queryFn: () => null,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const start = useAction<void, { data: BlocklistUpdate; message: string }>({
    run: () => answer(pendingApi.POST('/api/dns/blocklists/update', { body: {} })),
    renew: [keys.blocklists, keys.dnsStatus, keys.dnsStats],
    onDone: ({ data: update }) => cache.setQueryData(listUpdateKey, update),
  })
  return { start, update: data ?? undefined, isRunning: start.isPending || data?.status === 'running' }
}
