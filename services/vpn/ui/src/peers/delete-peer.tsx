import { answer, ConfirmDelete, formatCount } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Peer } from '../api.ts'

/** Asks before a peer goes, and counts the rules and log entries that go with it. */
export function DeletePeer({ peer, onClose, onDeleted }: { peer: Peer; onClose: () => void; onDeleted: () => void }) {
  const query = { client: peer.id, limit: 1 }
  const rules = useQuery({
    queryKey: [...keys.dnsRules, 'total', query],
    queryFn: () => answer(api.GET('/api/dns/rules', { params: { query } })),
  })
  const log = useQuery({
    queryKey: [...keys.dnsLog, 'total', query],
    queryFn: () => answer(api.GET('/api/dns/queries', { params: { query } })),
    retry: false,
  })
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
        rules.data === undefined ? 'Its DNS rules' : `Its ${formatCount(rules.data.total, 'DNS rule')}`,
        log.data === undefined
          ? 'Its entries in the query log'
          : `Its ${formatCount(log.data.total, 'entry', 'entries')} in the query log`,
      ]}
      action={{
        run: () => answer(api.DELETE('/api/peers/{id}', { params: { path: { id: peer.id } } })),
        renew: [keys.peers, keys.interfaces, keys.overview],
        onDone: onDeleted,
      }}
    />
  )
}
