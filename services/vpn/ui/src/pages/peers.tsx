import { ActionIcon, Button, Group, NativeSelect, Tooltip } from '@mantine/core'
import {
  DataTable,
  EmptyState,
  PageHeader,
  tableAnswer,
  TableSearch,
  type TableState,
  useSession,
  useTableState,
} from '@hearth/ui'
import { IconDevices, IconFileTypeCsv, IconPlus, IconQrcode, IconSearchOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { keys, type Peer, readInterfaces } from '../api.ts'
import { maxSelected, readTags } from '../peers/bulk-actions.ts'
import { BulkBar } from '../peers/bulk-bar.tsx'
import type { SelectedPeers } from '../peers/bulk-dialogs.tsx'
import { peerColumns } from '../peers/peer-columns.tsx'
import { ConnectDevice } from '../peers/connect-device.tsx'
import { ImportPeers } from '../peers/import-peers.tsx'
import { ConnectWithOwnKey } from '../peers/own-keys.tsx'
import { CreatePeer } from '../peers/peer-dialogs.tsx'
import { EnableSwitch, PeerDrawer } from '../peers/peer-drawer.tsx'
import { peersPerPage, toPeerQuery } from '../peers/peer-values.ts'
import { readPeers } from '../peers/peer-actions.ts'
import { SilentPeers } from '../peers/silent-peers.tsx'
import { OutdatedPeers } from '../peers/site-networks.tsx'

/** A new peer whose private key only this page knows. */
interface NewKey {
  readonly peer: Peer
  readonly privateKey: string
}

/** All devices of the VPN: found, filtered and sorted by the server, kept current by events. */
export function PeersPage() {
  const { isAdmin } = useSession()
  const { id } = useParams<{ id?: string }>()
  const [, navigate] = useLocation()
  const [params] = useSearchParams()
  const [dialog, setDialog] = useState<Peer | 'create' | 'import' | NewKey>()
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  const names = interfaces.data?.map(({ name }) => name) ?? []
  const search = params.toString()
  const connect = (peer: Peer, privateKey: string | undefined) =>
    setDialog(privateKey === undefined ? peer : { peer, privateKey })
  return (
    <>
      <PageHeader
        title="Peers"
        description="Devices that may connect, each with its own key and address."
        actions={
          isAdmin &&
          names.length > 0 && (
            <>
              <Button
                variant="default"
                leftSection={<IconFileTypeCsv size={16} aria-hidden />}
                onClick={() => setDialog('import')}
              >
                Import
              </Button>
              <AddPeer onClick={() => setDialog('create')} />
            </>
          )
        }
      />
      <PeerTable interfaces={names} onCreate={() => setDialog('create')} onConnect={setDialog} />
      {id !== undefined && (
        <PeerDrawer id={id} onClose={() => navigate(`/peers${search === '' ? '' : `?${search}`}`)} />
      )}
      {dialog === 'create' && (
        <CreatePeer interfaces={names} onClose={() => setDialog(undefined)} onCreated={connect} />
      )}
      {dialog === 'import' && <ImportPeers interfaces={names} onClose={() => setDialog(undefined)} />}
      {typeof dialog === 'object' && 'privateKey' in dialog && (
        <ConnectWithOwnKey {...dialog} onClose={() => setDialog(undefined)} />
      )}
      {typeof dialog === 'object' && 'id' in dialog && (
        <ConnectDevice peer={dialog} onClose={() => setDialog(undefined)} />
      )}
    </>
  )
}

function PeerTable(props: { interfaces: string[]; onCreate: () => void; onConnect: (peer: Peer) => void }) {
  const { isAdmin } = useSession()
  const state = useTableState(['status', 'interface', 'tag', 'silent', 'configuration'])
  const query = toPeerQuery(state)
  const peers = useQuery({
    queryKey: [...keys.peers, query],
    queryFn: () => readPeers(query),
    placeholderData: keepPreviousData,
  })
  const selection = usePeerSelection()
  const narrowed = state.search !== '' || Object.values(state.filters).some((value) => value !== '')
  const actions = (peer: Peer) => <RowActions peer={peer} onConnect={() => props.onConnect(peer)} />
  return (
    <>
      <PeerFilters state={state} interfaces={props.interfaces} />
      {isAdmin && <OutdatedPeers state={state} />}
      {isAdmin && <SilentPeers state={state} />}
      {isAdmin && (
        <BulkBar
          selected={selection.selected}
          query={query}
          total={peers.data?.total ?? 0}
          select={(found) => selection.change(found, true)}
          clear={selection.clear}
        />
      )}
      <DataTable
        label="Peers"
        columns={peerColumns(state, isAdmin ? actions : undefined)}
        {...(isAdmin && { selection })}
        state={state}
        pageSize={peersPerPage}
        rowKey={(peer) => peer.id}
        dimmed={(peer) => peer.status === 'disabled'}
        answer={tableAnswer(peers, peers.data?.peers, peers.data?.total ?? 0)}
        empty={
          narrowed ? (
            <NothingFound state={state} />
          ) : (
            <NoPeers hasInterface={props.interfaces.length > 0} onCreate={props.onCreate} />
          )
        }
      />
    </>
  )
}

/** Peers that are chosen, on whatever page of the table they stand. */
function usePeerSelection() {
  const [selected, setSelected] = useState<SelectedPeers>(new Map())
  return {
    selected,
    nameOf: (peer: Peer) => peer.name,
    clear: () => setSelected(new Map()),
    change: (peers: readonly Peer[], isSelected: boolean) =>
      setSelected((present) => {
        const next = new Map(present)
        for (const { id, name } of peers) {
          if (!isSelected) next.delete(id)
          else if (next.size < maxSelected) next.set(id, name)
        }
        return next
      }),
  }
}

function RowActions({ peer, onConnect }: { peer: Peer; onConnect: () => void }) {
  return (
    <Group gap="sm" wrap="nowrap" justify="flex-end">
      <EnableSwitch peer={peer} bare />
      <Tooltip label="QR code and file">
        <ActionIcon variant="default" size={30} aria-label={`Connect ${peer.name}`} onClick={onConnect}>
          <IconQrcode size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

function AddPeer({ onClick }: { onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
      Add peer
    </Button>
  )
}

function NoPeers({ hasInterface, onCreate }: { hasInterface: boolean; onCreate: () => void }) {
  const { isAdmin } = useSession()
  if (!isAdmin)
    return (
      <EmptyState icon={IconDevices} title="No peers yet">
        An administrator adds the devices that may connect.
      </EmptyState>
    )
  if (hasInterface)
    return (
      <EmptyState icon={IconDevices} title="No peers yet" action={<AddPeer onClick={onCreate} />}>
        Add the first device. A name is enough; you get a QR code for a phone and a file for a computer.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={IconDevices}
      title="First an interface, then peers"
      action={
        <Button component={Link} href="/interfaces?new=1">
          Create an interface
        </Button>
      }
    >
      Peers connect to a WireGuard interface, and there is none yet.
    </EmptyState>
  )
}

function PeerFilters({ state, interfaces }: { state: TableState; interfaces: string[] }) {
  const tags = useQuery({ queryKey: keys.peerTags, queryFn: readTags })
  const tag = state.filters['tag'] ?? ''
  const known = tags.data?.map((each) => each.tag) ?? []
  // The address may name one in another case, or one that no peer has any more.
  const chosen = known.find((each) => each.toLowerCase() === tag.toLowerCase()) ?? tag
  return (
    <search className="hearth-toolbar">
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
          { value: 'expires-soon', label: 'Expires soon' },
        ]}
      />
      <NativeSelect
        aria-label="Interface"
        value={state.filters['interface'] ?? ''}
        onChange={(event) => state.change({ filter: { interface: event.currentTarget.value } })}
        data={[{ value: '', label: 'Any interface' }, ...interfaces]}
      />
      {(known.length > 0 || tag !== '') && (
        <NativeSelect
          aria-label="Tag"
          value={chosen}
          onChange={(event) => state.change({ filter: { tag: event.currentTarget.value } })}
          data={[{ value: '', label: 'Any tag' }, ...new Set([...known, ...(tag === '' ? [] : [chosen])])]}
        />
      )}
    </search>
  )
}

const noFilters = { status: '', interface: '', tag: '', silent: '', configuration: '' }

function NothingFound({ state }: { state: TableState }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No peer matches"
      action={
        <Button variant="default" onClick={() => state.change({ search: '', filter: noFilters })}>
          Show all peers
        </Button>
      }
    >
      Search looks at names, addresses and the start of public keys.
    </EmptyState>
  )
}
