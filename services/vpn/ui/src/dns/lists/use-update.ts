import { answer, notifyProblem, useAction } from '@hearth/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keys } from '../../api.ts'
import { type BlocklistUpdate, pendingApi } from '../../pending-api.ts'

/** What the cache knows of the present or the last update of this page's time; events write it too. */
export const listUpdateKey = ['blocklist_update'] as const

const renew = [keys.blocklists, keys.dnsStatus, keys.dnsStats]

/** Asks for an update of all lists; while one runs the answer takes some seconds and says how far it is. */
const askForUpdate = () => answer(pendingApi.POST('/api/dns/blocklists/update'))

/** Updates all lists; who comes second looks on. */
export function useListUpdate() {
  const cache = useQueryClient()
  const { data } = useQuery<BlocklistUpdate | null>({
    queryKey: listUpdateKey,
    queryFn: () => null,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isRunning = data?.status === 'running'
  const start = useAction<void, { data: BlocklistUpdate; message: string }>({
    run: askForUpdate,
    done: ({ data: update, message }) => (update.status === 'done' ? message : 'The lists are being updated'),
    renew,
    onDone: ({ data: update }) => cache.setQueryData(listUpdateKey, update),
  })
  useEffect(() => {
    if (data?.status !== 'running') return undefined
    const timer = setTimeout(() => {
      askForUpdate().then(
        ({ data: update }) => {
          for (const queryKey of renew) void cache.invalidateQueries({ queryKey })
          return cache.setQueryData(listUpdateKey, update)
        },
        (error: unknown) => {
          cache.setQueryData(listUpdateKey, null)
          notifyProblem(error)
        },
      )
    }, 2000)
    return () => clearTimeout(timer)
  }, [cache, data])
  return { start, update: data ?? undefined, isRunning: start.isPending || isRunning }
}
