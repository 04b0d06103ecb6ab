import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import {
  answer,
  ConfirmDelete,
  CopyButton,
  QueryState,
  RelativeTime,
  saveFile,
  StatusBadge,
  useAction,
} from '@hearth/ui'
import { IconDownload, IconEyeOff, IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Peer, type PrivateDnsCreated } from '../api.ts'
import { QrPicture } from './qr-picture.tsx'

/** Names outside the tunnel: whether this device may ask, and its address, shown once when it is made. */
export function PrivateDns({ peer }: { peer: Peer }) {
  const [dialog, setDialog] = useState<'renew' | 'withdraw' | PrivateDnsCreated>()
  const path = { params: { path: { id: peer.id } } }
  const state = useQuery({
    queryKey: [...keys.peers, peer.id, 'private-dns'],
    queryFn: async () => (await answer(api.GET('/api/peers/{id}/private-dns', path))).data,
  })
  const make = useAction({
    run: () => answer(api.POST('/api/peers/{id}/private-dns', path)),
    renew: [keys.peers],
    onDone: ({ data }) => setDialog(data),
  })
  const close = () => setDialog(undefined)
  const found = state.data
  return (
    <section className="hearth-stack" aria-label="Private DNS">
      <Group justify="space-between">
        <h3 className="drawer-heading">Private DNS</h3>
        {found?.available === true && !found.active && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconShieldLock size={16} aria-hidden />}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            Make an address
          </Button>
        )}
      </Group>
      <QueryState query={state} lines={2} />
      {found !== undefined && !found.active && (
        <Text c="dimmed">
          {found.available
            ? 'With an address of its own this device keeps your filter while its tunnel is off.'
            : 'Off. The README of the service says how names are answered outside the tunnel.'}
        </Text>
      )}
      {found?.active === true && (
        <Group gap="xs">
          <StatusBadge tone="good">Has an address</StatusBadge>
          <Text size="sm" component="span">
            Made <RelativeTime value={found.created_at} />
            {found.created_by !== null && ` by ${found.created_by}`}
          </Text>
          {found.available && (
            <Button size="xs" variant="default" onClick={() => setDialog('renew')}>
              New address
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => setDialog('withdraw')}>
            Withdraw
          </Button>
        </Group>
      )}
      {dialog === 'renew' && <Renew peer={peer} onClose={close} onMade={setDialog} />}
      {dialog === 'withdraw' && <Withdraw peer={peer} onClose={close} />}
      {typeof dialog === 'object' && <NewAddress peer={peer} made={dialog} onClose={close} />}
    </section>
  )
}

function Renew(props: { peer: Peer; onClose: () => void; onMade: (made: PrivateDnsCreated) => void }) {
  const { peer, onClose, onMade } = props
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`New address for ${peer.name}?`}
      verb="Make a new address"
      losses={['The address that the device has now: it finds no names until you give it the new one']}
      action={{
        run: () => answer(api.POST('/api/peers/{id}/private-dns', { params: { path: { id: peer.id } } })),
        renew: [keys.peers],
        onDone: ({ data }) => onMade(data),
      }}
    />
  )
}

function Withdraw({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Withdraw the address of ${peer.name}?`}
      verb="Withdraw address"
      losses={['The address that the device has: it finds no names until its Private DNS is switched off or changed']}
      action={{
        run: () => answer(api.DELETE('/api/peers/{id}/private-dns', { params: { path: { id: peer.id } } })),
        renew: [keys.peers],
        onDone: onClose,
      }}
    />
  )
}

/** Shows the address of a device, once. */
function NewAddress({ peer, made, onClose }: { peer: Peer; made: PrivateDnsCreated; onClose: () => void }) {
  const { tls_host: host, https_url: url } = made
  return (
    <Modal opened onClose={onClose} title="Set up the device now" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          Shown only once. Whoever has the address asks for names as {peer.name}.
        </Alert>
        {host !== null && (
          <Address title="Android: Private DNS provider hostname" label="Host name" text={host}>
            In the settings look for “Private DNS”. Scan the code and copy the text.
          </Address>
        )}
        <Stack gap="xs">
          <h3 className="drawer-heading">iPhone, iPad and Mac</h3>
          <Text size="sm">Open the profile on the device, then install it in its settings.</Text>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(made.file_name, made.apple_profile, 'application/x-apple-aspen-config')}
          >
            Save profile
          </Button>
        </Stack>
        {url !== null && (
          <Address title="Browsers and others: DNS over HTTPS" label="Address" text={url}>
            For everything that asks for the address of a DNS server over HTTPS.
          </Address>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Address(props: { title: string; label: string; text: string; children: string }) {
  const { title, label, text, children } = props
  return (
    <Stack gap="xs">
      <h3 className="drawer-heading">{title}</h3>
      <Text size="sm">{children}</Text>
      <Code block className="hearth-secret" aria-label={label}>
        {text}
      </Code>
      <Group gap="xs" align="start">
        <CopyButton text={text}>Copy</CopyButton>
      </Group>
      <QrPicture text={text} label={`QR code: ${label}`} />
    </Stack>
  )
}
