import { Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog, RelativeTime, StatusBadge, useAction } from '@hearth/ui'
import { IconKey } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { api, keys, type Peer } from '../api.ts'
import { keysObstacle, makeKeyPair } from './browser-keys.ts'
import { ConnectDevice } from './connect-device.tsx'
import { ConnectWithOwnKey } from './own-keys.tsx'

/** What follows a new key: the configuration with it, for the device. */
interface NewKey {
  readonly peer: Peer
  /** Made in this browser; undefined when the service has it. */
  readonly privateKey: string | undefined
}

/** The new key that waits to replace that of a device, or a button to make one. */
export function KeyRotation({ peer, onBegin }: { peer: Peer; onBegin: () => void }) {
  const waiting = peer.key_rotation
  return (
    <section className="hearth-stack" aria-label="New key">
      <Group justify="space-between">
        <h3 className="drawer-heading">New key</h3>
        {waiting === null && (
          <Button size="xs" variant="default" leftSection={<IconKey size={16} aria-hidden />} onClick={onBegin}>
            Replace the key
          </Button>
        )}
      </Group>
      {waiting === null ? (
        <Text c="dimmed">
          A new key for this device, for example after its file was seen by others. The old one works until the device
          has the new one.
        </Text>
      ) : (
        <Waiting peer={peer} endsAt={waiting.old_key_ends_at} />
      )}
    </section>
  )
}

/** Makes a new key for a device and then hands out the configuration that has it. */
export function ReplaceKey({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  const made = useRef<NewKey>(undefined)
  const [key, setKey] = useState<NewKey>()
  if (key === undefined)
    return (
      <BeginRotation
        peer={peer}
        onBegun={(begun) => (made.current = begun)}
        onClose={() => (made.current === undefined ? onClose() : setKey(made.current))}
      />
    )
  if (key.privateKey === undefined) return <ConnectDevice peer={key.peer} onClose={onClose} />
  return <ConnectWithOwnKey peer={key.peer} privateKey={key.privateKey} onClose={onClose} />
}

function Waiting({ peer, endsAt }: { peer: Peer; endsAt: string }) {
  const cancel = useAction({
    run: () => answer(api.DELETE('/api/peers/{id}/rotation', { params: { path: { id: peer.id } } })),
    renew: [keys.peers],
  })
  return (
    <Stack gap="xs">
      <StatusBadge tone="accent" icon={IconKey}>
        Waiting for the device
      </StatusBadge>
      <Text size="sm">
        Give the device its configuration again: QR code, file or set-up link. The old key works until the device
        connects with the new one, and stops <RelativeTime value={endsAt} /> in any case.
      </Text>
      <div>
        <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          Keep the old key
        </Button>
      </div>
    </Stack>
  )
}

function BeginRotation(props: { peer: Peer; onClose: () => void; onBegun: (key: NewKey) => void }) {
  const { peer, onClose, onBegun } = props
  const obstacle = keysObstacle(window.isSecureContext, window.crypto.subtle)
  const form = useForm({ initialValues: { days: 7, own: !peer.has_private_key && obstacle === undefined } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Replace the key of ${peer.name}`}
      submitLabel="Make a new key"
      form={form}
      submit={async ({ days, own }) => {
        const pair = own ? await makeKeyPair(window.crypto.subtle) : undefined
        const body = { days, ...(pair !== undefined && { public_key: pair.publicKey }) }
        const begun = await answer(api.POST('/api/peers/{id}/rotation', { params: { path: { id: peer.id } }, body }))
        onBegun({ peer: begun.data, privateKey: pair?.privateKey })
        return begun
      }}
      renew={[keys.peers]}
    >
      <Text size="sm">
        You get the configuration with the new key next. Until the device connects with it, the old key goes on working.
        When the device changes over, its connection may falter for a moment.
      </Text>
      <NumberInput
        label="The old key stops after"
        description="Days, also if the device never used the new key"
        suffix=" days"
        min={1}
        max={90}
        data-autofocus
        {...form.getInputProps('days')}
      />
      <Checkbox
        label="Make the new key in this browser"
        description={
          obstacle ?? 'The service then never has the private key: you get file and QR code once, after this dialog'
        }
        disabled={obstacle !== undefined}
        {...form.getInputProps('own', { type: 'checkbox' })}
      />
    </FormDialog>
  )
}
