import { answer, useAction } from '@hearth/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type BlocklistUpdate, keys } from '../../api.ts'

/** Updates all lists; who comes second looks on. Events tell how far it is. */
export function useListUpdate() {
  const cache = useQueryClient()
  const { data } = useQuery<BlocklistUpdate | null>({
    queryKey: keys.listUpdate,
    queryFn: () => null,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const start = useAction<void, { data: BlocklistUpdate; message: string }>({
    run: () => answer(api.POST('/api/dns/blocklists/update')),
    done: ({ data: update, message }) => (update.status === 'done' ? message : 'The lists are being updated'),
    renew: [keys.blocklists, keys.dnsStatus, keys.dnsStats],
    onDone: ({ data: update }) =>
      cache.setQueryData<BlocklistUpdate | null>(keys.listUpdate, (known) => laterOf(known ?? undefined, update)),
  })
  return { start, update: data ?? undefined, isRunning: start.isPending || data?.status === 'running' }
}

/** The answer may come after the event that says how the same update ended. */
function laterOf(known: BlocklistUpdate | undefined, told: BlocklistUpdate): BlocklistUpdate {
  return known?.started_at === told.started_at && known.status === 'done' ? known : told
}
