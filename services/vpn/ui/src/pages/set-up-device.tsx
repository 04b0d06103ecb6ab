import { Alert, Button, List, NativeSelect, Stack, Text, Title } from '@mantine/core'
import {
  answer,
  ApiError,
  CopyButton,
  describeError,
  EmptyState,
  Gate,
  hearthServices,
  Problem,
  saveFile,
} from '@hearth/ui'
import { IconDownload, IconEyeOff, IconLinkOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, type DeviceSetup } from '../api.ts'
import { QrPicture } from '../peers/qr-picture.tsx'
import { setUpSteps, type System, systemOf, systems } from '../peers/set-up-steps.ts'

/** Page behind a set-up link: hands a device its configuration, once, to somebody who is not signed in. */
export function SetUpDevicePage() {
  const [link, setLink] = useState(() => location.hash.slice(1))
  useEffect(() => {
    // Another link opened in the same tab changes nothing but the part behind `#`.
    const follow = () => {
      if (location.hash !== '') setLink(location.hash.slice(1))
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return (
    <Gate service={hearthServices.vpn}>
      <LinkExchange key={link} link={link} />
    </Gate>
  )
}

/** Waits for a press, so that programs which only look at links, such as those of chat services, do not use one up. */
function LinkExchange({ link }: { link: string }) {
  const redeem = useMutation({
    mutationFn: async () => (await answer(api.POST('/api/setup', { body: { link } }))).data,
    // The link is of no more use; the browser's history need not keep it.
    onSuccess: () => history.replaceState(null, '', location.pathname),
  })
  if (redeem.data !== undefined) return <Configuration setup={redeem.data} />
  const isOver = redeem.error instanceof ApiError && [404, 422].includes(redeem.error.status)
  if (link === '' || isOver) return <LinkIsOver />
  return (
    <Stack>
      <Title order={1}>Set up this device</Title>
      <Text>You get the configuration that connects this device to the VPN, through the WireGuard app.</Text>
      <Text>
        This link works once. Continue on the device that you want to connect, or where it can scan the screen.
      </Text>
      <Problem text={redeem.error === null ? undefined : describeError(redeem.error)} />
      <Button loading={redeem.isPending} onClick={() => redeem.mutate()} fullWidth>
        Show configuration
      </Button>
    </Stack>
  )
}

function LinkIsOver() {
  return (
    <EmptyState heading="h1" icon={IconLinkOff} title="This link does not work any more">
      Ask for a new one.
    </EmptyState>
  )
}

function Configuration({ setup }: { setup: DeviceSetup }) {
  const [system, setSystem] = useState<System>(() => systemOf(navigator))
  return (
    <Stack>
      <Title order={1} className="hearth-name">
        {setup.name}
      </Title>
      <Alert color="yellow" icon={<IconEyeOff aria-hidden />} aria-live="polite">
        This link works once and is used up now: save{' '}
        {setup.standby === null ? 'the file or scan the code' : 'both files or scan both codes'} before you leave this
        page. They contain the private key, so keep them secret.
      </Alert>
      <Button
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => saveFile(setup.file_name, setup.configuration, 'application/octet-stream')}
      >
        Save configuration file
      </Button>
      <NativeSelect
        label="Steps for"
        value={system}
        onChange={(event) => setSystem(event.currentTarget.value as System)}
        data={Object.entries(systems).map(([value, label]) => ({ value, label }))}
      />
      <List type="ordered" spacing={6} className="set-up-steps">
        {setUpSteps(system, setup.file_name).map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Title order={2} size="h4">
        Or scan
      </Title>
      <Text size="sm">On a phone that can see this screen: in WireGuard tap “+”, then “Scan from QR code”.</Text>
      <QrPicture text={setup.configuration} label={`QR code with the configuration of ${setup.name}`} />
      <CopyButton text={setup.configuration}>Copy configuration</CopyButton>
      {setup.standby !== null && <StandbyConfiguration name={setup.name} standby={setup.standby} />}
    </Stack>
  )
}

/** The second configuration of a device whose interface has a standby. */
function StandbyConfiguration({ name, standby }: { name: string; standby: NonNullable<DeviceSetup['standby']> }) {
  return (
    <>
      <Title order={2}>A second way in</Title>
      <Text>
        When the VPN does not connect, another server can take over. Add this as a second tunnel in the same way, and
        switch it on instead of the first one then. Use one of them at a time.
      </Text>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => saveFile(standby.file_name, standby.configuration, 'application/octet-stream')}
      >
        Save standby file
      </Button>
      <QrPicture text={standby.configuration} label={`QR code with the standby configuration of ${name}`} />
      <CopyButton text={standby.configuration}>Copy standby configuration</CopyButton>
    </>
  )
}
