import { answer, useAction } from '@hearth/ui'
import { useQueryClient } from '@tanstack/react-query'
import { api, keys, type Peer, type PeerQuery } from '../api.ts'
import { patchPeers } from '../live-changes.ts'

/** Switches a peer on or off; the switch moves at once and goes back when the server refuses. */
export function useEnablePeer() {
  const cache = useQueryClient()
  const show = (id: string, enabled: boolean) =>
    cache.setQueriesData<{ peers: Peer[] } | Peer>({ queryKey: keys.peers }, (old) =>
      patchPeers(old, [{ id, enabled }]),
    )
  return useAction<{ peer: Peer; enabled: boolean }, { message: string }>({
    run: async ({ peer, enabled }) => {
      show(peer.id, enabled)
      try {
        return await answer(api.PUT('/api/peers/{id}', { params: { path: { id: peer.id } }, body: { enabled } }))
      } catch (error) {
        show(peer.id, peer.enabled)
        throw error
      }
    },
    renew: [keys.peers, keys.overview],
  })
}

/** The configuration file of a peer, or that for the standby, and the name to save it under. */
export async function readConfiguration(
  peer: Pick<Peer, 'id'>,
  isStandby = false,
): Promise<{ text: string; fileName: string }> {
  const { data, response } = await api.GET('/api/peers/{id}/config', {
    params: { path: { id: peer.id }, query: isStandby ? { standby: 'true' } : {} },
    parseAs: 'text',
  })
  const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')
  return { text: data ?? '', fileName: named?.[1] ?? 'wireguard.conf' }
}

/** One page of peers. */
export const readPeers = async (query: PeerQuery) => (await answer(api.GET('/api/peers', { params: { query } }))).data

/** One peer by its id. */
export const readPeer = async (id: string) =>
  (await answer(api.GET('/api/peers/{id}', { params: { path: { id } } }))).data
