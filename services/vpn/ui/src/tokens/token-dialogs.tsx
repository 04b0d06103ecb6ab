import { Alert, Button, Code, Group, Modal, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, CopyButton, FormDialog, useSession } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconEyeOff } from '@tabler/icons-react'
import type { components } from '../api.gen.ts'
import { api, keys, type Token } from '../api.ts'

type TokenCreate = components['schemas']['TokenCreate']
type TokenCreated = components['schemas']['TokenCreated']

interface TokenValues extends Record<string, unknown> {
  name: string
  permissions: TokenCreate['permissions']
  expires: NonNullable<TokenCreate['expires']>
  /** Addresses separated by commas or lines. */
  ip_whitelist: string
}

const lifetimes = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: 'One year' },
  { value: 'never', label: 'No end' },
]

/** Makes a token for a program; its value is shown by `onCreated` and never again. */
export function CreateToken({ onClose, onCreated }: { onClose: () => void; onCreated: (token: TokenCreated) => void }) {
  const { isAdmin } = useSession()
  const form = useForm<TokenValues>({
    initialValues: { name: '', permissions: 'read-only', expires: '1y', ip_whitelist: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Say what the token is for' : null) },
  })
  const submit = ({ ip_whitelist, ...rest }: TokenValues) => {
    const addresses = ip_whitelist.split(/[\s,]+/).filter((part) => part !== '')
    return answer(api.POST('/api/session/tokens', { body: { ...rest, ip_whitelist: addresses } }))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Create API token"
      submitLabel="Create token"
      form={form}
      submit={submit}
      renew={[keys.tokens]}
      onDone={({ data }) => onCreated(data)}
    >
      <TextInput
        label="Name"
        description="What it is for, such as “home automation”"
        maxLength={64}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label="Permissions"
        data={[
          { value: 'read-only', label: 'Read only' },
          ...(isAdmin ? [{ value: 'full', label: 'Everything you may do' }] : []),
        ]}
        {...form.getInputProps('permissions')}
      />
      <NativeSelect label="Works for" data={lifetimes} {...form.getInputProps('expires')} />
      <Textarea
        label="Only from these addresses"
        description="Addresses or networks, separated by commas or lines; empty allows every address"
        autosize
        minRows={2}
        {...form.getInputProps('ip_whitelist')}
      />
    </FormDialog>
  )
}

/** Shows a new token's value, this once. */
export function NewToken({ token, onClose }: { token: TokenCreated; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Copy your token now" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          It is shown this once. Who has it can act as you, so keep it like a password.
        </Alert>
        <Code block className="token-value" aria-label="Token value">
          {token.token}
        </Code>
        <Text c="dimmed" size="sm">
          Send it as <Code>Authorization: Bearer …</Code>
        </Text>
        <Group justify="flex-end">
          <CopyButton text={token.token} variant="filled">
            Copy token
          </CopyButton>
          <Button variant="default" onClick={onClose}>
            I have it
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Asks before a token stops working. */
export function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      verb="Revoke token"
      losses={[`The token “${token.name}” (${token.prefix}…)`, 'Access of every program that uses it, at once']}
      action={{
        run: () => answer(api.DELETE('/api/session/tokens/{id}', { params: { path: { id: token.id } } })),
        renew: [keys.tokens],
      }}
    />
  )
}
