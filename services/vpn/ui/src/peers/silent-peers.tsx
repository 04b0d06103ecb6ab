import { Button, Text } from '@mantine/core'
import { formatCount, type TableState } from '@hearth/ui'
import { IconZzz } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { keys, readSettings } from '../api.ts'
import { readPeers } from './peer-actions.ts'

/** Peers that may connect and have not for long: how many there are, and a button that lists them. */
export function SilentPeers({ state }: { state: TableState }) {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const shown = Number(state.filters['silent'] ?? '')
  const days = shown > 0 ? shown : settings.data?.silent_peer_days
  const query = { limit: 1, status: 'inactive', silent_days: days ?? 1 } as const
  const silent = useQuery({
    queryKey: [...keys.peers, query],
    queryFn: () => readPeers(query),
    enabled: days !== undefined,
  })
  const count = silent.data?.total ?? 0
  if (days === undefined || (count === 0 && shown === 0)) return null
  const show = (value: string) =>
    state.change({ filter: { status: '', silent: value }, ...(value !== '' && { sort: 'last_handshake' }) })
  return (
    <section className="silent-peers" aria-label="Silent peers">
      <IconZzz size={18} aria-hidden />
      <Text component="output" size="sm">
        Not seen for {formatCount(days, 'day')}: <b>{formatCount(count, 'peer')}</b>
        {shown > 0 && '. Choose those that are not needed any more, and disable or delete them.'}
      </Text>
      {shown > 0 ? (
        <Button size="xs" variant="default" onClick={() => show('')}>
          Show all peers
        </Button>
      ) : (
        <Button size="xs" variant="default" onClick={() => show(String(days))}>
          Review
        </Button>
      )}
    </section>
  )
}
