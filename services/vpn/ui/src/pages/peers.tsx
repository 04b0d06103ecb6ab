import { Button, NativeSelect } from '@mantine/core'
import { DataTable, EmptyState, PageHeader, TableSearch, type TableState, useSession, useTableState } from '@hearth/ui'
import { IconDevices, IconPlus, IconSearchOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { keys, readInterfaces } from '../api.ts'
import { peerColumns } from '../peers/peer-columns.tsx'
import { peersPerPage, readPeers, toPeerQuery } from '../peers/read-peers.ts'

/** All devices of the VPN: found, filtered and sorted by the server, kept current by events. */
export function PeersPage() {
  const { isAdmin } = useSession()
  const state = useTableState(['status', 'interface'])
  const query = toPeerQuery(state)
  const peers = useQuery({
    queryKey: [...keys.peers, query],
    queryFn: () => readPeers(query),
    placeholderData: keepPreviousData,
  })
  const narrowed = state.search !== '' || Object.values(state.filters).some((value) => value !== '')
  return (
    <>
      <PageHeader
        title="Peers"
        description="Devices that may connect, each with its own key and address."
        actions={isAdmin && <Button leftSection={<IconPlus size={16} aria-hidden />}>Add peer</Button>}
      />
      <PeerFilters state={state} />
      <DataTable
        label="Peers"
        columns={peerColumns(undefined)}
        state={state}
        pageSize={peersPerPage}
        rowKey={(peer) => peer.id}
        dimmed={(peer) => peer.status === 'disabled'}
        answer={{
          rows: peers.data?.peers,
          total: peers.data?.total ?? 0,
          error: peers.error,
          retry: () => void peers.refetch(),
          stale: peers.isPlaceholderData,
        }}
        empty={narrowed ? <NothingFound state={state} /> : <EmptyState icon={IconDevices} title="No peers yet" />}
      />
    </>
  )
}

function PeerFilters({ state }: { state: TableState }) {
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  return (
    <div className="hearth-toolbar" role="search">
      <TableSearch state={state} label="Search peers" />
      <NativeSelect
        aria-label="Status"
        value={state.filters['status'] ?? ''}
        onChange={(event) => state.change({ filter: { status: event.currentTarget.value } })}
        data={[
          { value: '', label: 'Any status' },
          { value: 'active', label: 'Connected' },
          { value: 'inactive', label: 'Not connected' },
          { value: 'disabled', label: 'Disabled or expired' },
        ]}
      />
      <NativeSelect
        aria-label="Interface"
        value={state.filters['interface'] ?? ''}
        onChange={(event) => state.change({ filter: { interface: event.currentTarget.value } })}
        data={[{ value: '', label: 'Any interface' }, ...(interfaces.data ?? []).map(({ name }) => name)]}
      />
    </div>
  )
}

function NothingFound({ state }: { state: TableState }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No peer matches"
      action={
        <Button variant="default" onClick={() => state.change({ search: '', filter: { status: '', interface: '' } })}>
          Show all peers
        </Button>
      }
    >
      Search looks at names, addresses and the start of public keys.
    </EmptyState>
  )
}
