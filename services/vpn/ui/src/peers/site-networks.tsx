import { Alert, Button, Checkbox, Code, List, Stack, Text, Textarea } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { formatCount, type TableState, useSession } from '@hearth/ui'
import { IconFileDownload, IconRouteOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { keys, type Peer, readInterfaces } from '../api.ts'
import { readPeers } from './peer-actions.ts'
import type { PeerValues } from './peer-values.ts'

interface NetworkFieldsProps {
  form: UseFormReturnType<PeerValues>
  /** Device over which the server has one of the networks itself, once that was refused. */
  overlapsWith: string | undefined
}

/** Networks behind a device, in its form. */
export function NetworkFields({ form, overlapsWith }: NetworkFieldsProps) {
  return (
    <Stack>
      <Text size="sm">
        For a router or computer that connects a whole network to the VPN, such as the one at home or at the office.
        Your other devices then reach everything in that network through it. Phones and laptops need nothing here.
      </Text>
      <Textarea
        label="Networks"
        description="Such as 192.168.7.0/24 or fd20::/48, separated by commas or lines. Each network can be behind one device only"
        autosize
        minRows={2}
        {...form.getInputProps('networks')}
      />
      {overlapsWith !== undefined && (
        <Checkbox
          label="Use these networks anyway"
          description={`The server reaches one of them over ${overlapsWith}, and what is there may be out of reach then`}
          {...form.getInputProps('allow_host_overlap', { type: 'checkbox' })}
        />
      )}
      <Text size="sm" c="dimmed">
        After saving, the page of the device says what to set up on its side, and the list shows which other devices
        need their configuration again.
      </Text>
    </Stack>
  )
}

/** Networks behind a device in its details, and what has to be set up there. */
export function PeerNetworks({ peer }: { peer: Peer }) {
  const { isAdmin } = useSession()
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  if (peer.networks.length === 0) return null
  const on = interfaces.data?.find(({ name }) => name === peer.interface)
  return (
    <section className="hearth-stack" aria-label="Networks behind this device">
      <h3 className="drawer-heading">Networks behind this device</h3>
      <Text className="hearth-mono" size="sm">
        {peer.networks.join(', ')}
      </Text>
      {on?.forwarding === false && (
        <Alert color="yellow" icon={<IconRouteOff aria-hidden />}>
          Forwarding is off for {on.name}, so other devices do not reach these networks. Switch it on under Interfaces.
        </Alert>
      )}
      {isAdmin && <OtherSide peer={peer} />}
    </section>
  )
}

function OtherSide({ peer }: { peer: Peer }) {
  const hasIpv6 = peer.networks.some((network) => network.includes(':'))
  return (
    <Stack gap="xs">
      <Text size="sm">On {peer.name} and in its network, once:</Text>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          Let the device pass packets on. A router does already. On a Linux computer:{' '}
          <Code>sysctl -w net.ipv4.ip_forward=1</Code>
          {hasIpv6 && (
            <>
              {' and '}
              <Code>sysctl -w net.ipv6.conf.all.forwarding=1</Code>
            </>
          )}
        </List.Item>
        <List.Item>
          Show the network the way back. If the device is its router, nothing is to be done. Otherwise add static routes
          in the router’s settings, through this device:{' '}
          {peer.routing_mode === 'full_tunnel'
            ? 'to the VPN network and to the networks behind your other devices.'
            : 'one for each network in the line AllowedIPs of the device’s configuration.'}
        </List.Item>
        <List.Item>Allow the traffic in the device’s firewall, if it has one.</List.Item>
      </List>
    </Stack>
  )
}

/** Number of networks behind a device, for the list. */
export function NetworksOfRow({ peer }: { peer: Pick<Peer, 'networks'> }) {
  const [first] = peer.networks
  if (first === undefined) return null
  const more = peer.networks.length - 1
  return (
    <span className="peer-networks">
      and {first}
      {more > 0 && `, ${more} more`}
    </span>
  )
}

/** Says that what a device was given does not hold any more: networks behind others, or where one of its configurations leads. */
export function NeedsConfiguration({
  peer: { needs_configuration: isOutdated, needs_standby_configuration: isStandbyOutdated },
}: {
  peer: Pick<Peer, 'needs_configuration' | 'needs_standby_configuration'>
}) {
  if (!isOutdated && !isStandbyOutdated) return null
  // All devices of an interface are marked when it gets a standby: most never had the configuration for it.
  const which = !isStandbyOutdated
    ? 'its configuration again'
    : isOutdated
      ? 'both configurations'
      : 'the standby configuration'
  return (
    <span className="peer-expires">
      <IconFileDownload size={14} aria-hidden />
      <span>Needs {which}</span>
    </span>
  )
}

/** Devices that need their configuration again: how many there are, and a button that lists them. */
export function OutdatedPeers({ state }: { state: TableState }) {
  const query = { limit: 1, needs_configuration: 'true' } as const
  const outdated = useQuery({ queryKey: [...keys.peers, query], queryFn: () => readPeers(query) })
  const count = outdated.data?.total ?? 0
  const isShown = state.filters['configuration'] === 'needed'
  if (count === 0 && !isShown) return null
  const show = (configuration: string) => state.change({ filter: { configuration } })
  return (
    <section className="silent-peers" aria-label="Peers that need their configuration again">
      <IconFileDownload size={18} aria-hidden />
      <Text component="output" size="sm">
        <b>{formatCount(count, 'peer')}</b> {count === 1 ? 'needs its' : 'need their'} configuration again, because
        networks behind other peers or an endpoint changed.
        {isShown && ' Give each its QR code, file or set-up link; it then leaves this list.'}
      </Text>
      <Button size="xs" variant="default" onClick={() => show(isShown ? '' : 'needed')}>
        {isShown ? 'Show all peers' : 'Show them'}
      </Button>
    </section>
  )
}
