import { Alert, Group, List, Text } from '@mantine/core'
import { answer, ConfirmDelete, EmptyState, Fact, RelativeTime, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconAlertTriangle, IconLink, IconPencil, IconRefresh, IconShieldLock, IconUnlink } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { LinkDialog } from './link-dialogs.tsx'
import { linkState } from './link-words.ts'
import type { VpnLink } from './read-link.ts'

/** The link with a Hearth VPN: its state, its tunnels, and what is wrong. */
export function LinkSection({ link }: { link: VpnLink }) {
  const [dialog, setDialog] = useState<'link' | 'unlink'>()
  const close = () => setDialog(undefined)
  const isLinked = link.address !== null
  return (
    <Section title="Hearth VPN" actions={isLinked && <Actions open={setDialog} />}>
      {isLinked ? (
        <Linked link={link} />
      ) : (
        <EmptyState
          icon={IconShieldLock}
          title="No VPN is linked"
          action={
            <IconButton variant="filled" icon={IconLink} onClick={() => setDialog('link')}>
              Link a VPN
            </IconButton>
          }
        >
          With a Hearth VPN sites can be for its tunnel alone, and their names lead straight to Caddy inside.
        </EmptyState>
      )}
      {dialog === 'link' && <LinkDialog link={link} onClose={close} />}
      <ConfirmDelete
        opened={dialog === 'unlink'}
        onClose={close}
        title="End the link?"
        verb="End the link"
        losses={[
          'The token, and which networks are the tunnel',
          'The records of this service in the VPN: inside, names lead where they lead outside',
        ]}
        action={{
          run: () => answer(api.DELETE('/api/vpn-link')),
          done: ({ detail }) => detail,
          renew: [keys.vpnLink],
        }}
      />
    </Section>
  )
}

function Actions({ open }: { open: (dialog: 'link' | 'unlink') => void }) {
  const check = useAction<void, VpnLink>({
    run: () => answer(api.POST('/api/vpn-link/check')),
    renew: [keys.vpnLink],
  })
  return (
    <Group gap="xs">
      <IconButton icon={IconRefresh} loading={check.isPending} onClick={() => check.mutate()}>
        Check now
      </IconButton>
      <IconButton icon={IconPencil} onClick={() => open('link')}>
        Change link
      </IconButton>
      <IconButton icon={IconUnlink} c="var(--hearth-bad)" onClick={() => open('unlink')}>
        End link
      </IconButton>
    </Group>
  )
}

function Linked({ link }: { link: VpnLink }) {
  const { tone, text } = linkState(link)
  return (
    <>
      <dl className="hearth-facts" data-start>
        <Fact name="State">
          <StatusBadge tone={tone}>{text}</StatusBadge>
        </Fact>
        <Fact name="Address">{link.address}</Fact>
        <Fact name="Last answer">
          {link.checked_at === null ? 'None since the start' : <RelativeTime value={link.checked_at} />}
        </Fact>
        <Fact name="Tunnels">
          {link.tunnels.length === 0
            ? 'The VPN has no enabled interface'
            : link.tunnels.map(({ name, networks }) => `${name} (${networks.join(', ')})`).join('; ')}
        </Fact>
      </dl>
      {link.problem !== null && (
        <Alert
          mt="md"
          color="red"
          icon={<IconAlertTriangle aria-hidden />}
          title="The VPN could not be used"
          role="alert"
        >
          {link.problem} The networks it named last go on to count, and it is asked again.
        </Alert>
      )}
      {link.warnings.length > 0 && (
        <Alert mt="md" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Check this">
          <List size="sm">
            {link.warnings.map((warning) => (
              <List.Item key={warning}>
                <Text size="sm">{warning}</Text>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  )
}
