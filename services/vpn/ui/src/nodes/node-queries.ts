import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

/** All nodes, for administrators; whether they are connected changes without an edit. */
export function useNodes(isAdmin = true) {
  return useQuery({
    queryKey: keys.nodes,
    queryFn: async () => (await answer(api.GET('/api/nodes'))).data,
    refetchInterval: ({ state }) => (state.data?.enabled === true ? 30_000 : false),
    enabled: isAdmin,
  })
}
