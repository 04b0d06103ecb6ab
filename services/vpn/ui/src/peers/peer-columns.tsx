import { UnstyledButton } from '@mantine/core'
import { type Column, formatBytes, RelativeTime, type TableState } from '@hearth/ui'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Peer } from '../api.ts'
import { ExpiresSoon, PeerStatusBadge } from './peer-status.tsx'
import { QuotaBadge } from './quota.tsx'
import { NeedsConfiguration, NetworksOfRow } from './site-networks.tsx'

/** The tags of a peer; each shows the peers that have it. */
function PeerTags({ tags, onChoose }: { tags: readonly string[]; onChoose: (tag: string) => void }) {
  if (tags.length === 0) return null
  return (
    <span className="peer-tags">
      {tags.map((tag) => (
        <UnstyledButton
          key={tag}
          className="peer-tag"
          aria-label={`Peers with the tag ${tag}`}
          onClick={() => onChoose(tag)}
        >
          {tag}
        </UnstyledButton>
      ))}
    </span>
  )
}

/** The columns of the peer table; `actions` is what an administrator can do with a row. */
export function peerColumns(state: TableState, actions: ((peer: Peer) => ReactNode) | undefined): Column<Peer>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      sort: 'name',
      role: 'title',
      render: (peer) => (
        <>
          <PeerLink peer={peer} />
          <PeerTags tags={peer.tags} onChoose={(tag) => state.change({ filter: { tag } })} />
        </>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      render: (peer) => (
        <>
          <PeerStatusBadge peer={peer} /> <QuotaBadge quota={peer.quota} />
          <ExpiresSoon peer={peer} />
          <NeedsConfiguration peer={peer} />
        </>
      ),
    },
    { key: 'interface', header: 'Interface', render: (peer) => peer.interface },
    {
      key: 'ip',
      header: 'Address',
      sort: 'ip',
      render: (peer) => (
        <>
          <span className="hearth-mono">{peer.ip}</span>
          <NetworksOfRow peer={peer} />
        </>
      ),
    },
    {
      key: 'last_handshake',
      header: 'Last handshake',
      sort: 'last_handshake',
      render: (peer) => <RelativeTime value={peer.last_handshake} />,
    },
    {
      key: 'transfer_rx',
      header: 'Received',
      sort: 'transfer_rx',
      numeric: true,
      render: (peer) => formatBytes(peer.transfer_rx),
    },
    {
      key: 'transfer_tx',
      header: 'Sent',
      sort: 'transfer_tx',
      numeric: true,
      render: (peer) => formatBytes(peer.transfer_tx),
    },
    ...(actions === undefined
      ? []
      : [{ key: 'actions', header: 'Actions', role: 'actions' as const, render: actions }]),
  ]
}

/** The peer's name as the way to its details; the table's search stays in the address. */
function PeerLink({ peer }: { peer: Peer }) {
  const [params] = useSearchParams()
  const rest = params.toString()
  return (
    <Link href={`/peers/${peer.id}${rest === '' ? '' : `?${rest}`}`} className="hearth-name">
      {peer.name}
    </Link>
  )
}
