import { Button } from '@mantine/core'
import {
  type Column,
  DataTable,
  EmptyState,
  formatCount,
  PageHeader,
  RelativeTime,
  StatusBadge,
  tableAnswer,
  type Tone,
} from '@hearth/ui'
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleOff,
  IconHourglass,
  IconKey,
  IconPencil,
  IconPlus,
  IconServer2,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { Node, NodeJoin } from '../api.ts'
import { InterfaceTabs } from '../nodes/interface-tabs.tsx'
import { AddNode, EditNode, NewToken, RemoveNode, RenewToken } from '../nodes/node-dialogs.tsx'
import { useNodes } from '../nodes/node-queries.ts'
import { RowMenu } from '../sections/row-menu.tsx'

type Dialog = { readonly kind: 'add' } | { readonly kind: 'token'; readonly join: NodeJoin } | NodeDialog

interface NodeDialog {
  readonly kind: 'edit' | 'renew' | 'remove'
  readonly node: Node
}

/** Hosts that join this service as nodes. */
export function NodesPage() {
  const nodes = useNodes()
  const [dialog, setDialog] = useState<Dialog>()
  const isEnabled = nodes.data?.enabled === true
  const button = isEnabled && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'add' })}>
      Add node
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Nodes"
        description="Other hosts that run interfaces of this service. The DNS filter, the query log and the page inside the tunnel work there as here."
        actions={(nodes.data?.nodes.length ?? 0) > 0 && button}
      />
      <InterfaceTabs />
      <DataTable
        label="Nodes"
        columns={[...columns, actionColumn(setDialog)]}
        rowKey={(node) => node.id}
        answer={tableAnswer(nodes, nodes.data?.nodes)}
        empty={
          <EmptyState icon={IconServer2} title={isEnabled ? 'No node yet' : 'Nodes are off'} action={button}>
            {isEnabled
              ? 'A node is another host with Hearth, which runs interfaces of this service. It joins with a token that works once.'
              : 'With VPN_NODES_LISTEN in the environment of the service other hosts can join; the README of the service says how.'}
          </EmptyState>
        }
      />
      {dialog !== undefined && <OpenDialog dialog={dialog} onChange={setDialog} />}
    </>
  )
}

function OpenDialog({ dialog, onChange }: { dialog: Dialog; onChange: (next?: Dialog) => void }) {
  const close = () => onChange()
  const show = (join: NodeJoin) => onChange({ kind: 'token', join })
  switch (dialog.kind) {
    case 'add':
      return <AddNode onClose={close} onMade={show} />
    case 'token':
      return <NewToken join={dialog.join} onClose={close} />
    case 'renew':
      return <RenewToken node={dialog.node} onClose={close} onMade={show} />
    case 'edit':
      return <EditNode node={dialog.node} onClose={close} />
    case 'remove':
      return <RemoveNode node={dialog.node} onClose={close} />
  }
}

const appearances: Record<Node['status'], { tone: Tone; text: string; icon: typeof IconCheck }> = {
  connected: { tone: 'good', text: 'Connected', icon: IconCheck },
  lost: { tone: 'bad', text: 'Lost', icon: IconAlertTriangle },
  waiting: { tone: 'quiet', text: 'Waits to join', icon: IconHourglass },
}

const twoHosts = { tone: 'bad', text: 'Two hosts', icon: IconAlertTriangle } as const

function NodeStatus({ node }: { node: Node }) {
  const { join_token_expires_at: end, duplicate_addresses: duplicates } = node
  const { tone, text, icon } = duplicates === null ? appearances[node.status] : twoHosts
  return (
    <>
      <StatusBadge tone={tone} icon={icon}>
        {text}
      </StatusBadge>
      {duplicates !== null && (
        <small className="hearth-dimmed interface-second">
          Two hosts report as this node by turns, from {duplicates.join(' and ')}: its files were copied. Stop one of
          them, and let it join with a token of its own.
        </small>
      )}
      {end !== null && (
        <small className="hearth-dimmed interface-second">
          Join token ends <RelativeTime value={end} />
        </small>
      )}
      {end === null && node.status === 'waiting' && (
        <small className="hearth-dimmed interface-second">Join token has ended</small>
      )}
    </>
  )
}

function NodeAddress({ node: { address, endpoint } }: { node: Node }) {
  if (address === null && endpoint === null) return '–'
  return (
    <span className="hearth-mono">
      {endpoint ?? address}
      {endpoint !== null && address !== null && <small className="hearth-dimmed interface-second">{address}</small>}
    </span>
  )
}

const dnsAppearances: Record<NonNullable<Node['dns']>['status'], { tone: Tone; text: string; icon: typeof IconCheck }> =
  {
    running: { tone: 'good', text: 'Answers', icon: IconCheck },
    starting: { tone: 'quiet', text: 'Starts', icon: IconHourglass },
    failed: { tone: 'bad', text: 'Failed', icon: IconAlertTriangle },
    off: { tone: 'quiet', text: 'Off', icon: IconCircleOff },
  }

/** How the resolver of a node is; nothing for a node that was not heard of lately. */
function NodeDns({ node: { dns, status } }: { node: Node }) {
  if (dns === null || status !== 'connected') return '–'
  const { tone, text, icon } =
    dns.status === 'running' && dns.problem !== null
      ? ({ tone: 'warn', text: 'Problem', icon: IconAlertTriangle } as const)
      : dnsAppearances[dns.status]
  const detail = dns.problem ?? (dns.status === 'running' ? formatCount(dns.blocked_names, 'blocked name') : null)
  return (
    <>
      <StatusBadge tone={tone} icon={icon}>
        {text}
      </StatusBadge>
      {detail !== null && <small className="hearth-dimmed interface-second">{detail}</small>}
      {dns.log !== null && dns.log.lost > 0 && (
        <small className="hearth-dimmed interface-second">
          {formatCount(dns.log.lost, 'query', 'queries')} lost for the log
          {dns.log.lost_at !== null && (
            <>
              , last <RelativeTime value={dns.log.lost_at} />
            </>
          )}
        </small>
      )}
    </>
  )
}

function NodeInterfaces({ node: { interfaces, standby_interfaces: standbys } }: { node: Node }) {
  if (interfaces.length + standbys.length === 0) return '–'
  return (
    <>
      {interfaces.join(', ')}
      {standbys.length > 0 && (
        <small className="hearth-dimmed interface-second">Standby of {standbys.join(', ')}</small>
      )}
    </>
  )
}

const columns: Column<Node>[] = [
  { key: 'name', header: 'Name', role: 'title', render: (node) => <span className="hearth-name">{node.name}</span> },
  { key: 'status', header: 'Status', render: (node) => <NodeStatus node={node} /> },
  {
    key: 'seen',
    header: 'Last seen',
    render: (node) => (node.last_seen_at === null ? 'Never' : <RelativeTime value={node.last_seen_at} />),
  },
  {
    key: 'address',
    header: 'Address',
    render: (node) => <NodeAddress node={node} />,
  },
  {
    key: 'interfaces',
    header: 'Interfaces',
    render: (node) => <NodeInterfaces node={node} />,
  },
  { key: 'dns', header: 'DNS', render: (node) => <NodeDns node={node} /> },
  { key: 'version', header: 'Version', render: (node) => node.version ?? '–' },
]

function actionColumn(open: (dialog: NodeDialog) => void): Column<Node> {
  return {
    key: 'actions',
    header: 'Actions',
    role: 'actions',
    render: (node) => (
      <RowMenu
        label={`More for ${node.name}`}
        entries={[
          { label: 'Edit', icon: IconPencil, onClick: () => open({ kind: 'edit', node }) },
          { label: 'New join token', icon: IconKey, onClick: () => open({ kind: 'renew', node }) },
          { label: 'Remove', icon: IconTrash, onClick: () => open({ kind: 'remove', node }), isDestructive: true },
        ]}
      />
    ),
  }
}
