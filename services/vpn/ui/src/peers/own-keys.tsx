import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { CopyButton, describeError, LoadingLines, saveFile } from '@hearth/ui'
import { IconDownload, IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Peer } from '../api.ts'
import { EndpointWarning } from '../endpoint/endpoint-field.tsx'
import { withPrivateKey } from './browser-keys.ts'
import { ConnectSteps } from './connect-device.tsx'
import { readConfiguration } from './peer-actions.ts'
import { QrPicture } from './qr-picture.tsx'

/** Dialog that hands a device its configuration with a private key that only this page knows, once. */
export function ConnectWithOwnKey(props: { peer: Peer; privateKey: string; onClose: () => void }) {
  const { peer, privateKey, onClose } = props
  const configuration = useQuery({
    queryKey: ['configuration', peer.id],
    queryFn: () => readConfiguration(peer),
    gcTime: 0,
  })
  const text = withPrivateKey(configuration.data?.text ?? '', privateKey)
  const fileName = configuration.data?.fileName ?? ''
  return (
    <Modal
      opened
      onClose={onClose}
      title="Connect this device"
      size="md"
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          The private key of <b className="hearth-name">{peer.name}</b> was made in this browser, and the service does
          not have it. When this is closed nobody can show it again: save the file or scan the code now.
        </Alert>
        <EndpointWarning />
        {configuration.error !== null && <Text c="var(--hearth-bad)">{describeError(configuration.error)}</Text>}
        {configuration.data === undefined ? (
          <LoadingLines lines={6} />
        ) : (
          <>
            <QrPicture text={text} label={`QR code with the configuration of ${peer.name}`} />
            <ConnectSteps peer={peer} isComplete />
            <Group gap="xs" grow preventGrowOverflow={false}>
              <Button
                leftSection={<IconDownload size={16} aria-hidden />}
                onClick={() => saveFile(fileName, text, 'application/octet-stream')}
              >
                Download file
              </Button>
              <CopyButton text={text}>Copy configuration</CopyButton>
            </Group>
            <Button variant="default" onClick={onClose}>
              I have it
            </Button>
          </>
        )}
      </Stack>
    </Modal>
  )
}
