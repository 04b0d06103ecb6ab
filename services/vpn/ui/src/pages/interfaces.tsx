import { Button } from '@mantine/core'
import { type Column, DataTable, EmptyState, formatBytes, PageHeader, tableAnswer, useSession } from '@hearth/ui'
import { IconNetwork, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { type Interface, keys, readInterfaces } from '../api.ts'
import { InterfaceActions } from '../interfaces/interface-actions.tsx'
import { CreateInterface } from '../interfaces/interface-dialogs.tsx'
import { InterfaceStatusBadge } from '../interfaces/interface-status.tsx'

/** The WireGuard interfaces of this host. `?new=1` opens the form for a new one. */
export function InterfacesPage() {
  const { isAdmin } = useSession()
  const [params, setParams] = useSearchParams()
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  const create = (open: boolean) => setParams(open ? { new: '1' } : {}, { replace: true })
  const button = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => create(true)}>
      Create interface
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Interfaces"
        description="The ends of the tunnel on this host, each with its own network and port."
        actions={isAdmin && (interfaces.data?.length ?? 0) > 0 && button}
      />
      <DataTable
        label="Interfaces"
        columns={isAdmin ? [...columns, actionColumn] : columns}
        rowKey={(row) => row.name}
        answer={tableAnswer(interfaces, interfaces.data)}
        empty={
          <EmptyState icon={IconNetwork} title="No interface yet" action={isAdmin && button}>
            {isAdmin
              ? 'An interface is where devices connect to. The form opens with a free network and port.'
              : 'An administrator creates the first interface.'}
          </EmptyState>
        }
      />
      {isAdmin && params.has('new') && <CreateInterface onClose={() => create(false)} />}
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

const actionColumn: Column<Interface> = {
  key: 'actions',
  header: 'Actions',
  role: 'actions',
  render: (row) => <InterfaceActions interface={row} />,
}
