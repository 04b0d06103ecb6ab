import { Alert, Button, Code, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, CopyButton, FormDialog, QueryState, RelativeTime, StatusBadge, type Tone, useAction } from '@hearth/ui'
import { IconEyeOff, IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Peer, type SetupLink } from '../api.ts'
import { hasWholeConfiguration } from './peer-values.ts'

/** Links that hand the device of a peer its configuration once: those there are, and a button for another. */
export function SetupLinks({ peer }: { peer: Peer }) {
  const [dialog, setDialog] = useState<'make' | { url: string }>()
  const hasKey = hasWholeConfiguration(peer)
  const links = useQuery({
    queryKey: [...keys.setupLinks, peer.id],
    queryFn: async () =>
      (await answer(api.GET('/api/peers/{id}/setup-links', { params: { path: { id: peer.id } } }))).data,
  })
  const close = () => setDialog(undefined)
  return (
    <section className="hearth-stack" aria-label="Set-up links">
      <Group justify="space-between">
        <h3 className="drawer-heading">Set-up links</h3>
        {hasKey && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconLink size={16} aria-hidden />}
            onClick={() => setDialog('make')}
          >
            Make a link
          </Button>
        )}
      </Group>
      {hasKey ? (
        <QueryState query={links} lines={2} />
      ) : (
        <Text c="dimmed">The private key is on the device only, so a link could not hand it over.</Text>
      )}
      {hasKey && links.data?.length === 0 && (
        <Text c="dimmed">Send a link to the person with the device: it shows QR code and file, once.</Text>
      )}
      <ul className="setup-links">
        {links.data?.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
      {dialog === 'make' && <MakeLink peer={peer} onClose={close} onMade={(url) => setDialog({ url })} />}
      {typeof dialog === 'object' && <NewLink url={dialog.url} peer={peer} onClose={close} />}
    </section>
  )
}

const appearances: Record<SetupLink['status'], { tone: Tone; text: string }> = {
  open: { tone: 'accent', text: 'Not used yet' },
  used: { tone: 'good', text: 'Used' },
  expired: { tone: 'quiet', text: 'Ended' },
  revoked: { tone: 'quiet', text: 'Revoked' },
}

function LinkRow({ link }: { link: SetupLink }) {
  const revoke = useAction({
    run: () => answer(api.DELETE('/api/setup-links/{id}', { params: { path: { id: link.id } } })),
    renew: [keys.setupLinks],
  })
  const { tone, text } = appearances[link.status]
  return (
    <li>
      <StatusBadge tone={tone}>{text}</StatusBadge>
      <Text size="sm" component="span">
        Made <RelativeTime value={link.created_at} />
        {link.created_by !== null && ` by ${link.created_by}`}
        {link.used_at !== null && (
          <>
            , used <RelativeTime value={link.used_at} /> from <span className="hearth-mono">{link.used_from}</span>
          </>
        )}
        {(link.status === 'open' || link.status === 'expired') && (
          <>
            , {link.status === 'open' ? 'ends' : 'ended'} <RelativeTime value={link.expires_at} />
          </>
        )}
      </Text>
      {link.status === 'open' && (
        <Button size="xs" variant="default" loading={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke
        </Button>
      )}
    </li>
  )
}

const lifetimes = [
  { value: '1', label: 'One hour' },
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
]

function MakeLink(props: { peer: Peer; onClose: () => void; onMade: (url: string) => void }) {
  const { peer, onClose, onMade } = props
  const form = useForm({ initialValues: { hours: '24' } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Set-up link for ${peer.name}`}
      submitLabel="Make link"
      form={form}
      submit={({ hours }) =>
        answer(
          api.POST('/api/peers/{id}/setup-links', {
            params: { path: { id: peer.id } },
            body: { expires_in_hours: Number(hours) },
          }),
        )
      }
      renew={[keys.setupLinks]}
      onDone={({ data }) => onMade(data.url)}
    >
      <Text>Whoever opens the link first gets this device’s configuration, without signing in. It works once.</Text>
      <NativeSelect label="Works for" data={lifetimes} data-autofocus {...form.getInputProps('hours')} />
    </FormDialog>
  )
}

/** Shows a new link, once. */
function NewLink({ url, peer, onClose }: { url: string; peer: Peer; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Copy the link now" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          It is shown only once. Send it to the person with {peer.name} and to nobody else.
        </Alert>
        <Code block className="hearth-secret" aria-label="Set-up link">
          {url}
        </Code>
        <Group justify="flex-end">
          <CopyButton text={url} variant="filled">
            Copy link
          </CopyButton>
          <Button variant="default" onClick={onClose}>
            I have it
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
