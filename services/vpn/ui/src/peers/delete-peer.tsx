import { answer, ConfirmDelete } from '@hearth/ui'
import { api, keys, type Peer } from '../api.ts'

/** Asks before a peer goes. */
export function DeletePeer({ peer, onClose, onDeleted }: { peer: Peer; onClose: () => void; onDeleted: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${peer.name}?`}
      verb="Delete peer"
      losses={[
        `The peer “${peer.name}” with its keys: the device is cut off at once`,
        `Its address ${peer.ip}, which another peer may get`,
        'Its traffic counters and history',
        'Its DNS rules, and everything it looked up in the query log',
      ]}
      action={{
        run: () => answer(api.DELETE('/api/peers/{id}', { params: { path: { id: peer.id } } })),
        renew: [keys.peers, keys.interfaces, keys.overview],
        onDone: onDeleted,
      }}
    />
  )
}
