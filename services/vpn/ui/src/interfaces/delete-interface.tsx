import { answer, ConfirmDelete, formatCount } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, type Interface, keys } from '../api.ts'
import { readPeers } from '../peers/read-peers.ts'

const namedPeers = 10

/** Asks before an interface goes, naming the peers that go with it. */
export function DeleteInterface({ interface: target, onClose }: { interface: Interface; onClose: () => void }) {
  const query = { interface: target.name, limit: namedPeers, sort: 'name' } as const
  const peers = useQuery({ queryKey: [...keys.peers, query], queryFn: () => readPeers(query) })
  const names = (peers.data?.peers ?? []).map(({ name }) => `“${name}”`)
  const more = target.peer_count - names.length
  const list = [...names, ...(names.length > 0 && more > 0 ? [`${more} more`] : [])].join(', ')
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${target.name}?`}
      verb={
        target.peer_count === 0 ? 'Delete interface' : `Delete interface and ${formatCount(target.peer_count, 'peer')}`
      }
      losses={[
        `The interface ${target.name} with its key; its network ${target.address} becomes free`,
        ...(target.peer_count === 0
          ? []
          : [
              `${formatCount(target.peer_count, 'peer')}, cut off at once${list === '' ? '' : `: ${list}`}`,
              'Every configuration handed out for them stops working',
              'Their traffic history, DNS rules and entries in the query log',
            ]),
      ]}
      action={{
        run: () => answer(api.DELETE('/api/interfaces/{name}', { params: { path: { name: target.name } } })),
        renew: [keys.interfaces, keys.peers, keys.overview],
      }}
    />
  )
}
