import { Button, Code, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  answer,
  type Column,
  ConfirmDelete,
  CopyButton,
  DataTable,
  EmptyState,
  FormDialog,
  RelativeTime,
  Section,
  tableAnswer,
} from '@hearth/ui'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { type SiteToken, useProtectedSites, useSiteTokens, useUsers } from './read-access.ts'

type Dialog = { kind: 'add' } | { kind: 'made'; token: string } | { kind: 'revoke'; of: SiteToken }

/** Tokens with which programs visit protected sites. */
export function TokenSection() {
  const tokens = useSiteTokens()
  const { data: users = [] } = useUsers()
  const { data: sites = [] } = useProtectedSites()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const nameOf = (id: string) => users.find((user) => user.id === id)?.username ?? 'a deleted user'
  const siteOf = (id: number) => sites.find((site) => site.id === id)?.site_name ?? `site ${id}, not protected`
  const columns: Column<SiteToken>[] = [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
    { key: 'site', header: 'Site', render: ({ site_id: id }) => siteOf(id) },
    { key: 'user', header: 'As', render: ({ user_id: id }) => nameOf(id) },
    {
      key: 'ends',
      header: 'Works until',
      render: (token) => <RelativeTime value={token.expires_at} absent="no end" />,
    },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (of) => (
        <Button
          size="xs"
          variant="default"
          c="var(--hearth-bad)"
          aria-label={`Revoke ${of.name}`}
          onClick={() => setDialog({ kind: 'revoke', of })}
        >
          Revoke
        </Button>
      ),
    },
  ]
  const add = (
    <IconButton icon={IconPlus} size="xs" onClick={() => setDialog({ kind: 'add' })}>
      Create token
    </IconButton>
  )
  return (
    <Section title="Tokens for programs" actions={add}>
      <DataTable
        label="Tokens for programs"
        columns={columns}
        rowKey={({ id }) => id}
        answer={tableAnswer(tokens, tokens.data)}
        empty={
          <EmptyState icon={IconKey} title="No tokens yet">
            A program visits one protected site with a token, as one of the users.
          </EmptyState>
        }
      />
      {dialog?.kind === 'add' && <CreateToken onClose={close} onMade={(token) => setDialog({ kind: 'made', token })} />}
      {dialog?.kind === 'made' && <NewToken token={dialog.token} onClose={close} />}
      {dialog?.kind === 'revoke' && <RevokeToken of={dialog.of} onClose={close} />}
    </Section>
  )
}

function CreateToken({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const { data: users = [] } = useUsers()
  const { data: sites = [] } = useProtectedSites()
  const required = (text: string) => (text.trim() === '' ? 'Required' : null)
  const form = useForm({
    initialValues: { name: '', site_id: '', user_id: '', expires: '365' },
    validate: { name: required, site_id: required, user_id: required },
  })
  const siteOptions = sites.map((site) => ({ value: String(site.id), label: site.site_name }))
  const userOptions = users.map((user) => ({ value: user.id, label: user.username }))
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Create a token"
      submitLabel="Create token"
      form={form}
      submit={({ name, site_id, user_id, expires }) =>
        answer(
          api.POST('/api/v1/portal/tokens', {
            body: {
              name,
              site_id: Number(site_id),
              user_id,
              expires_in_days: expires === 'never' ? null : Number(expires),
            },
          }),
        )
      }
      onDone={({ token }) => onMade(token)}
      renew={[keys.siteTokens]}
    >
      <TextInput label="Name" description="What it is for" maxLength={100} {...form.getInputProps('name')} />
      <NativeSelect label="Site" data={['', ...siteOptions]} {...form.getInputProps('site_id')} />
      <NativeSelect label="As user" data={['', ...userOptions]} {...form.getInputProps('user_id')} />
      <NativeSelect label="Works for" data={lifetimes} {...form.getInputProps('expires')} />
    </FormDialog>
  )
}

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '365', label: 'One year' },
  { value: 'never', label: 'No end' },
]

function NewToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Copy the token now" closeOnClickOutside={false}>
      <Stack>
        <Text>It is shown only once. Programs send it to the site as Authorization: Bearer …</Text>
        <Code block className="hearth-secret" aria-label="Token value">
          {token}
        </Code>
        <CopyButton text={token} variant="filled">
          Copy token
        </CopyButton>
      </Stack>
    </Modal>
  )
}

function RevokeToken({ of, onClose }: { of: SiteToken; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Revoke ${of.name}?`}
      verb="Revoke token"
      losses={['Access of every program that uses it, at once']}
      action={{
        run: () => answer(api.DELETE('/api/v1/portal/tokens/{id}', { params: { path: { id: of.id } } })),
        done: () => `${of.name} is revoked`,
        renew: [keys.siteTokens],
      }}
    />
  )
}
