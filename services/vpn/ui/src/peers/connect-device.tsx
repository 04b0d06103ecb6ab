import { Alert, Button, Group, List, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { CopyButton, saveFile, useAction } from '@hearth/ui'
import { IconDownload, IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Interface, keys, type Peer, readInterfaces } from '../api.ts'
import { EndpointWarning } from '../endpoint/endpoint-field.tsx'
import { HandshakeStatus } from './peer-status.tsx'
import { readConfiguration } from './peer-actions.ts'
import { hasWholeConfiguration } from './peer-values.ts'

/** Dialog that hands a device its configuration: QR code for phones, a file for other devices. */
export function ConnectDevice({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  const isComplete = hasWholeConfiguration(peer)
  const standby = useStandby(peer)
  const [isStandby, setStandby] = useState(false)
  return (
    <Modal opened onClose={onClose} title="Connect this device" size="md">
      <Stack>
        <Text>
          For <b className="hearth-name">{peer.name}</b>.{' '}
          {isComplete && 'The code and the file contain its private key: keep them secret.'}
        </Text>
        <EndpointWarning />
        {standby !== null && <StandbyChoice name={standby.name} isStandby={isStandby} onChange={setStandby} />}
        {isComplete ? <QrCode key={String(isStandby)} peer={peer} isStandby={isStandby} /> : <OwnKey />}
        <ConnectSteps peer={peer} isComplete={isComplete} />
        <DownloadAndCopy peer={peer} isStandby={isStandby} />
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

/** The standby of the interface of a peer; null without one. */
function useStandby(peer: Peer): Interface['standby'] {
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  return interfaces.data?.find(({ name }) => name === peer.interface)?.standby ?? null
}

interface StandbyChoiceProps {
  readonly name: string
  readonly isStandby: boolean
  readonly onChange: (isStandby: boolean) => void
}

/** Choice between the two configurations of a device. */
function StandbyChoice({ name, isStandby, onChange }: StandbyChoiceProps) {
  return (
    <>
      <SegmentedControl
        aria-label="Configuration"
        value={isStandby ? 'standby' : 'main'}
        onChange={(value) => onChange(value === 'standby')}
        data={[
          { value: 'main', label: 'Usual' },
          { value: 'standby', label: `Standby: ${name}` },
        ]}
      />
      <Text size="sm">
        {isStandby
          ? 'Add it to the device as a second tunnel, to switch on while the usual one does not connect. One of them at a time.'
          : `The device can have a second configuration, for the standby ${name}.`}
      </Text>
    </>
  )
}

/** Download and copy of the configuration, and of that for the standby where there is one. */
export function ConfigurationButtons({ peer }: { peer: Peer }) {
  const standby = useStandby(peer)
  return (
    <>
      <DownloadAndCopy peer={peer} isStandby={false} />
      {standby !== null && (
        <>
          <Text size="sm">For the standby {standby.name}, as a second tunnel:</Text>
          <DownloadAndCopy peer={peer} isStandby />
        </>
      )}
    </>
  )
}

function DownloadAndCopy({ peer, isStandby }: { peer: Peer; isStandby: boolean }) {
  const download = useAction({
    run: () => readConfiguration(peer, isStandby),
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
        {isStandby ? 'Download standby file' : 'Download file'}
      </Button>
      <CopyButton text={async () => (await readConfiguration(peer, isStandby)).text}>
        {isStandby ? 'Copy standby configuration' : 'Copy configuration'}
      </CopyButton>
    </Group>
  )
}

function QrCode({ peer, isStandby }: { peer: Peer; isStandby: boolean }) {
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
      src={`/api/peers/${encodeURIComponent(peer.id)}/qrcode${isStandby ? '?standby=true' : ''}`}
      alt={`QR code with the ${isStandby ? 'standby ' : ''}configuration of ${peer.name}`}
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
