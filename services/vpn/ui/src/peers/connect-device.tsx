import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { CopyButton, saveFile, useAction } from '@hearth/ui'
import { IconDownload, IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import type { Peer } from '../api.ts'
import { EndpointWarning } from '../endpoint/endpoint-field.tsx'
import { HandshakeStatus } from './peer-status.tsx'
import { readConfiguration } from './peer-actions.ts'
import { hasWholeConfiguration } from './peer-values.ts'

/** Dialog that hands a device its configuration: QR code for phones, a file for other devices. */
export function ConnectDevice({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  const isComplete = hasWholeConfiguration(peer)
  return (
    <Modal opened onClose={onClose} title="Connect this device" size="md">
      <Stack>
        <Text>
          For <b className="hearth-name">{peer.name}</b>.{' '}
          {isComplete && 'The code and the file contain its private key: keep them secret.'}
        </Text>
        <EndpointWarning />
        {isComplete ? <QrCode peer={peer} /> : <OwnKey />}
        <ConnectSteps peer={peer} isComplete={isComplete} />
        <ConfigurationButtons peer={peer} />
      </Stack>
    </Modal>
  )
}

/** The steps that connect a device, and whether it is connected. A configuration is complete when its private key is in it. */
export function ConnectSteps({ peer, isComplete }: { peer: Peer; isComplete: boolean }) {
  return (
    <>
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>Install the WireGuard app on the device.</List.Item>
        <List.Item>
          {isComplete
            ? 'On a phone choose “Add tunnel”, “Scan from QR code”. On a computer import the downloaded file.'
            : 'Import the downloaded file and put the device’s private key into it.'}
        </List.Item>
        <List.Item>Switch the tunnel on.</List.Item>
      </List>
      <HandshakeStatus peer={peer} />
    </>
  )
}

/** Download and copy of the configuration. */
export function ConfigurationButtons({ peer }: { peer: Peer }) {
  const download = useAction({
    run: () => readConfiguration(peer),
    done: ({ fileName }) => `Saved as ${fileName}`,
    onDone: ({ text, fileName }) => saveFile(fileName, text, 'application/octet-stream'),
  })
  return (
    <Group gap="xs" grow preventGrowOverflow={false}>
      <Button
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        Download file
      </Button>
      <CopyButton text={async () => (await readConfiguration(peer)).text}>Copy configuration</CopyButton>
    </Group>
  )
}

function QrCode({ peer }: { peer: Peer }) {
  const [failed, setFailed] = useState(false)
  if (failed)
    return (
      <Alert color="red" role="alert">
        The QR code could not be made. Download the file instead, or close this and try again in a minute.
      </Alert>
    )
  return (
    <img
      className="qr-code"
      src={`/api/peers/${encodeURIComponent(peer.id)}/qrcode`}
      alt={`QR code with the configuration of ${peer.name}`}
      width={340}
      height={340}
      onError={() => setFailed(true)}
    />
  )
}

function OwnKey() {
  return (
    <Alert color="gray" icon={<IconKey aria-hidden />}>
      This device made its own key, so a QR code would lack it. Use the file.
    </Alert>
  )
}
