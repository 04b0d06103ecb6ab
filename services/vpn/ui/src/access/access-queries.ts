import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { type AccessRule, api, keys } from '../api.ts'
import { readPeers } from '../peers/peer-actions.ts'

/** Queries to read again after a change of groups, rules or defaults. */
export const accessRenewals = [keys.access]

/** All groups; of a peer's when one is named. */
export function useGroups(peer?: string) {
  return useQuery({
    queryKey: [...keys.access, 'groups', peer ?? null],
    queryFn: async () => {
      const first = await readGroups(0, peer)
      const rest = first.total > 100 ? await readGroups(100, peer) : { data: [] }
      return [...first.data, ...rest.data]
    },
  })
}

const readGroups = (offset: number, peer?: string) =>
  answer(
    api.GET('/api/access/groups', {
      params: { query: { limit: 100, offset, ...(peer === undefined ? {} : { peer }) } },
    }),
  )

/** All rules, in their order. */
export function useRules() {
  return useQuery({
    queryKey: rulesKey,
    queryFn: async () => (await answer(api.GET('/api/access/rules', { params: { query: { limit: 1000 } } }))).data,
  })
}

/** Name of the cached rules. */
export const rulesKey = [...keys.access, 'rules']

/** What each interface does without a matching rule. */
export function useDefaults() {
  return useQuery({
    queryKey: [...keys.access, 'defaults'],
    queryFn: async () => (await answer(api.GET('/api/access/defaults'))).data,
  })
}

/** Changes a rule. */
export const changeRule = (id: string, body: Partial<Pick<AccessRule, 'enabled' | 'position'>>) =>
  answer(api.PUT('/api/access/rules/{id}', { params: { path: { id } }, body }))

/** The id of the peer with this name; throws when there is none. */
export async function peerNamed(name: string): Promise<string> {
  const wanted = name.trim().toLowerCase()
  const { peers } = await readPeers({ search: name.trim(), sort: 'name', limit: 100 })
  const found = peers.find((peer) => peer.name.toLowerCase() === wanted)
  if (found === undefined) throw new Error(`There is no device “${name.trim()}”`)
  return found.id
}
