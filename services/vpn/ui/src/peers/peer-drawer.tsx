import { Button, Drawer, Group, Stack, Switch } from '@mantine/core'
import { answer, Fact, formatBytes, formatCount, QueryState, RelativeTime, useSession } from '@hearth/ui'
import { IconPencil, IconQrcode, IconTrash } from '@tabler/icons-react'
import { useQuery, keepPreviousData } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { PeerGroups } from '../access/group-badge.tsx'
import { PeerProfile } from '../dns/profiles/peer-profile.tsx'
import { PeerPause } from '../dns/device-pauses.tsx'
import { PeerDnsName } from '../dns/peer-dns-name.tsx'
import { api, keys, type Peer } from '../api.ts'
import { EndpointWarning } from '../endpoint/endpoint-field.tsx'
import { ConfigurationButtons, ConnectDevice } from './connect-device.tsx'
import { Connections } from './connections.tsx'
import { DeletePeer, EditPeer } from './peer-dialogs.tsx'
import { readPeer, useEnablePeer } from './peer-actions.ts'
import { ExpiresSoon, PeerStatusBadge } from './peer-status.tsx'
import { KeyRotation, ReplaceKey } from './key-rotation.tsx'
import { PeerLimits } from './limits.tsx'
import { PeerQuota } from './quota.tsx'
import { PrivateDns } from './private-dns.tsx'
import { SetupLinks } from './setup-links.tsx'
import { NeedsConfiguration, PeerNetworks } from './site-networks.tsx'
import { routingModes } from './peer-values.ts'
import { PeriodChoice, TrafficHistory } from '../traffic/traffic-history.tsx'
import { periodNamed, toTrafficQuery } from '../traffic/periods.ts'

type PeerDialog = 'connect' | 'edit' | 'replace-key' | 'delete'

/** One peer in full, over the list; its address is `/peers/<id>`. */
export function PeerDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const [dialog, setDialog] = useState<PeerDialog>()
  const peer = useQuery({ queryKey: [...keys.peers, id], queryFn: () => readPeer(id) })
  return (
    <Drawer
      opened
      closeOnEscape={dialog === undefined}
      onClose={onClose}
      position="right"
      size={520}
      title={<span className="hearth-name">{peer.data?.name ?? 'Peer'}</span>}
    >
      <QueryState query={peer} lines={8} />
      {peer.data !== undefined && <PeerDetail peer={peer.data} onOpen={setDialog} />}
      {peer.data !== undefined && dialog !== undefined && (
        <PeerDialogs peer={peer.data} dialog={dialog} close={() => setDialog(undefined)} onDeleted={onClose} />
      )}
    </Drawer>
  )
}

function PeerDetail({ peer, onOpen }: { peer: Peer; onOpen: (dialog: PeerDialog) => void }) {
  const { isAdmin } = useSession()
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Group gap="xs">
          <PeerStatusBadge peer={peer} />
          <ExpiresSoon peer={peer} />
          <NeedsConfiguration peer={peer} />
        </Group>
        {isAdmin && <EnableSwitch peer={peer} />}
      </Group>
      <EndpointWarning />
      <PeerPause peer={peer} />
      <PeerTraffic id={peer.id} />
      <PeerQuota peer={peer} />
      <PeerFacts peer={peer} isAdmin={isAdmin} />
      <PeerNetworks peer={peer} />
      {isAdmin && <Connections peer={peer} />}
      {isAdmin && <KeyRotation peer={peer} onBegin={() => onOpen('replace-key')} />}
      {isAdmin && <SetupLinks peer={peer} />}
      {isAdmin && <PrivateDns peer={peer} />}
      {isAdmin && <PeerButtons peer={peer} onOpen={onOpen} />}
    </Stack>
  )
}

/** Switch that enables a peer. */
export function EnableSwitch({ peer, bare = false }: { peer: Peer; bare?: boolean }) {
  const enable = useEnablePeer()
  const name = bare ? { 'aria-label': `${peer.name} may connect` } : { label: 'May connect' }
  return (
    <Switch
      {...name}
      checked={peer.enabled}
      disabled={enable.isPending}
      onChange={(event) => enable.mutate({ peer, enabled: event.currentTarget.checked })}
    />
  )
}

function PeerFacts({ peer, isAdmin }: { peer: Peer; isAdmin: boolean }) {
  const facts: [string, ReactNode][] = [
    ['Interface', peer.interface],
    ['Address', <Mono key="ip">{peer.ip}</Mono>],
    ...(peer.ipv6 === null ? [] : [['IPv6 address', <Mono key="ipv6">{peer.ipv6}</Mono>] as [string, ReactNode]]),
    ['Name in DNS', <PeerDnsName key="dns" id={peer.id} />],
    ['Last handshake', <RelativeTime key="handshake" value={peer.last_handshake} />],
    ['Received from it', formatBytes(peer.transfer_rx)],
    ['Sent to it', formatBytes(peer.transfer_tx)],
    ...(isAdmin ? [['Connects from', <Mono key="endpoint">{peer.endpoint ?? '–'}</Mono>] as [string, ReactNode]] : []),
    ['Through the tunnel', routingModes[peer.routing_mode].label],
    ...(peer.allowed_ips.length > 0
      ? [['Listed networks', <Mono key="networks">{peer.allowed_ips.join(', ')}</Mono>] as [string, ReactNode]]
      : []),
    ...(peer.tags.length > 0 ? [['Tags', peer.tags.join(', ')] as [string, ReactNode]] : []),
    ['Groups', <PeerGroups key="groups" id={peer.id} />],
    ['Kept apart', peer.client_isolation ? 'Yes' : 'No'],
    ['Profile', <PeerProfile key="profile" peer={peer} isAdmin={isAdmin} />],
    ['Names', <Names key="names" peer={peer} isAdmin={isAdmin} />],
    ['Keepalive', peer.persistent_keepalive === 0 ? 'Off' : `${peer.persistent_keepalive} s`],
    ['Bandwidth', <PeerLimits key="limits" peer={peer} />],
    ['Preshared key', peer.has_preshared_key ? 'Yes' : 'No'],
    ['Private key', peer.has_private_key ? 'Kept by the service' : 'On the device only'],
    ['Expires', <RelativeTime key="expiry" value={peer.expires_at} absent="no end" />],
    ['Public key', <Mono key="key">{peer.public_key}</Mono>],
    ['Added', <RelativeTime key="created" value={peer.created_at} />],
  ]
  return (
    <dl className="hearth-facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}

function Names({ peer, isAdmin }: { peer: Peer; isAdmin: boolean }) {
  return (
    <>
      {namesText(peer)}
      {isAdmin && (
        <>
          {' · '}
          <Link href={`/dns/log?client=${encodeURIComponent(peer.name)}`} className="hearth-link">
            its queries
          </Link>
        </>
      )}
    </>
  )
}

/** Returns the filtering and logging of a peer in a few words. */
function namesText({ use_adblocker: isFiltered, blocklist_ids: ids, dns_logging_enabled: isLogged }: Peer): string {
  const lists = ids === null ? 'all lists' : ids.length === 0 ? 'own rules only' : formatCount(ids.length, 'list')
  return `${isFiltered ? `Filtered by ${lists}` : 'Not filtered'}${isLogged ? '' : ', not logged'}`
}

function Mono({ children }: { children: ReactNode }) {
  return <span className="hearth-mono">{children}</span>
}

function PeerButtons({ peer, onOpen }: { peer: Peer; onOpen: (dialog: PeerDialog) => void }) {
  return (
    <Stack gap="xs">
      <ConfigurationButtons peer={peer} />
      <Group gap="xs" grow preventGrowOverflow={false}>
        <Button variant="default" leftSection={<IconQrcode size={16} aria-hidden />} onClick={() => onOpen('connect')}>
          QR code
        </Button>
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onOpen('edit')}>
          Edit
        </Button>
        <Button
          variant="default"
          c="var(--hearth-bad)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onOpen('delete')}
        >
          Delete
        </Button>
      </Group>
    </Stack>
  )
}

function PeerDialogs(props: { peer: Peer; dialog: PeerDialog; close: () => void; onDeleted: () => void }) {
  const { peer, dialog, close, onDeleted } = props
  if (dialog === 'connect') return <ConnectDevice peer={peer} onClose={close} />
  if (dialog === 'replace-key') return <ReplaceKey peer={peer} onClose={close} />
  if (dialog === 'edit') return <EditPeer peer={peer} onClose={close} />
  return <DeletePeer peer={peer} onClose={close} onDeleted={onDeleted} />
}

/** Traffic of one peer over time. */
function PeerTraffic({ id }: { id: string }) {
  const [name, setName] = useState('day')
  const traffic = useQuery({
    queryKey: [...keys.traffic, id, name],
    queryFn: async () => {
      const params = { path: { id }, query: toTrafficQuery(periodNamed(name), new Date()) }
      return (await answer(api.GET('/api/metrics/peers/{id}', { params }))).data
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  return (
    <section className="hearth-stack" aria-label="Traffic">
      <h3 className="drawer-heading">Traffic</h3>
      <PeriodChoice value={name} onChange={setName} />
      <TrafficHistory traffic={traffic} title="Traffic of this peer" />
    </section>
  )
}
