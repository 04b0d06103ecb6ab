import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

/** The name by which other peers find a peer. */
export function PeerDnsName({ id }: { id: string }) {
  const found = useQuery({
    queryKey: [...keys.peers, id, 'dns-name'],
    queryFn: async () => (await answer(api.GET('/api/dns/peer-names/{id}', { params: { path: { id } } }))).data,
  })
  return <span className="hearth-mono wrap-anywhere">{found.data?.name ?? '–'}</span>
}
