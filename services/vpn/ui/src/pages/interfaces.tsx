import { Button, Group } from '@mantine/core'
import {
  type Column,
  DataTable,
  EmptyState,
  formatBytes,
  PageHeader,
  tableAnswer,
  useSession,
  answer,
  ConfirmDelete,
  formatCount,
  useAction,
} from '@hearth/ui'
import {
  IconFileImport,
  IconNetwork,
  IconPlus,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { type Interface, keys, readInterfaces, api } from '../api.ts'
import { InterfaceStatusBadge } from '../interfaces/interface-status.tsx'
import { TakeOverServer } from '../interfaces/take-over-server.tsx'
import { CreateInterface, EditInterface } from '../interfaces/interface-dialogs.tsx'
import { useState } from 'react'
import { InterfaceTabs } from '../nodes/interface-tabs.tsx'
import { readPeers } from '../peers/peer-actions.ts'
import { RowMenu } from '../sections/row-menu.tsx'

/** The WireGuard interfaces of this host and of nodes. `?new=1` opens the form for a new one, `?import=1` that for a server elsewhere. */
export function InterfacesPage() {
  const { isAdmin } = useSession()
  const [params, setParams] = useSearchParams()
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  const open = (dialog?: 'new' | 'import') =>
    setParams(dialog === undefined ? {} : { [dialog]: '1' }, { replace: true })
  const button = (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconFileImport size={16} aria-hidden />} onClick={() => open('import')}>
        Take over a server
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('new')}>
        Create interface
      </Button>
    </Group>
  )
  return (
    <>
      <PageHeader
        title="Interfaces"
        description="WireGuard interfaces, each with its own network and port."
        actions={isAdmin && (interfaces.data?.length ?? 0) > 0 && button}
      />
      <InterfaceTabs />
      <DataTable
        label="Interfaces"
        columns={columnsFor(interfaces.data ?? [], isAdmin)}
        rowKey={(row) => row.name}
        answer={tableAnswer(interfaces, interfaces.data)}
        empty={
          <EmptyState icon={IconNetwork} title="No interface yet" action={isAdmin && button}>
            {isAdmin
              ? 'An interface is where devices connect to. The form opens with a free network and port. A server of wg-easy, WGDashboard, PiVPN or wg-quick can be taken over with its devices.'
              : 'An administrator creates the first interface.'}
          </EmptyState>
        }
      />
      {isAdmin && params.has('new') && <CreateInterface onClose={() => open()} />}
      {isAdmin && params.has('import') && <TakeOverServer onClose={() => open()} />}
    </>
  )
}

const columns: Column<Interface>[] = [
  { key: 'name', header: 'Name', role: 'title', render: (row) => <span className="hearth-name">{row.name}</span> },
  { key: 'status', header: 'Status', render: (row) => <InterfaceStatusBadge interface={row} /> },
  {
    key: 'address',
    header: 'Network',
    render: (row) => (
      <span className="hearth-mono">
        {row.address}
        {row.address6 !== null && <small className="hearth-dimmed interface-second">{row.address6}</small>}
      </span>
    ),
  },
  { key: 'listen_port', header: 'UDP port', numeric: true, render: (row) => row.listen_port },
  {
    key: 'peers',
    header: 'Peers connected',
    numeric: true,
    render: (row) => (
      <Link href={`/peers?interface=${encodeURIComponent(row.name)}`} className="hearth-link">
        {row.connected_peers} of {row.peer_count}
      </Link>
    ),
  },
  { key: 'rx', header: 'Received', numeric: true, render: (row) => formatBytes(row.transfer_rx) },
  { key: 'tx', header: 'Sent', numeric: true, render: (row) => formatBytes(row.transfer_tx) },
]

const nodeColumn: Column<Interface> = {
  key: 'node',
  header: 'Runs on',
  render: (row) => (
    <>
      {row.node?.name ?? 'This host'}
      {row.standby !== null && (
        <small className="hearth-dimmed interface-second">
          Standby: {row.standby.name} <InterfaceStatusBadge interface={row.standby} />
        </small>
      )}
    </>
  ),
}

/** Where interfaces run is shown when some run elsewhere. */
function columnsFor(interfaces: readonly Interface[], isAdmin: boolean): Column<Interface>[] {
  const [name, ...others] = columns
  const first = name === undefined ? [] : [name]
  const node = interfaces.some((row) => row.node !== null || row.standby !== null) ? [nodeColumn] : []
  return [...first, ...node, ...others, ...(isAdmin ? [actionColumn] : [])]
}

const actionColumn: Column<Interface> = {
  key: 'actions',
  header: 'Actions',
  role: 'actions',
  render: (row) => <InterfaceActions interface={row} />,
}

/** Actions on one interface, for administrators. */
function InterfaceActions({ interface: target }: { interface: Interface }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <StartStop interface={target} />
      <RowMenu
        label={`More for ${target.name}`}
        entries={[
          { label: 'Edit', icon: IconPencil, onClick: () => setDialog('edit') },
          { label: 'Delete', icon: IconTrash, onClick: () => setDialog('delete'), isDestructive: true },
        ]}
      />
      {dialog === 'edit' && <EditInterface interface={target} onClose={close} />}
      {dialog === 'delete' && <DeleteInterface interface={target} onClose={close} />}
    </Group>
  )
}

function StartStop({ interface: target }: { interface: Interface }) {
  // What is wrong on a node is not put right by a start.
  const isRunning = target.enabled && (target.status !== 'error' || target.node !== null)
  const verb = isRunning ? 'stop' : 'start'
  const act = useAction<void, { message: string }>({
    run: () => answer(api.POST(`/api/interfaces/{name}/${verb}`, { params: { path: { name: target.name } } })),
    renew: [keys.interfaces, keys.peers, keys.overview],
  })
  const Icon = verb === 'stop' ? IconPlayerStop : IconPlayerPlay
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`${verb === 'stop' ? 'Stop' : 'Start'} ${target.name}`}
      leftSection={<Icon size={14} aria-hidden />}
      loading={act.isPending}
      onClick={() => act.mutate()}
    >
      {verb === 'stop' ? 'Stop' : 'Start'}
    </Button>
  )
}

const namedPeers = 10

/** Dialog that confirms the deletion of an interface and names the peers that go with it. */
function DeleteInterface({ interface: target, onClose }: { interface: Interface; onClose: () => void }) {
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
