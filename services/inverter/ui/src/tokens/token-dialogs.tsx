import { Alert, Button, Code, Group, Modal, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, CopyButton, FormDialog } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconEyeOff } from '@tabler/icons-react'
import type { components } from '../api.gen.ts'
import { api, keys, type Token } from '../api.ts'

type TokenCreate = components['schemas']['TokenCreate']
export type CreatedToken = components['schemas']['NewToken']

interface TokenValues extends Record<string, unknown> {
  name: string
  role: TokenCreate['role']
  expires: NonNullable<TokenCreate['expires']>
}

const lifetimes = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: 'One year' },
  { value: 'never', label: 'No end' },
]

/** Makes a token; its value is shown by `onCreated` and never again. */
export function CreateToken({ onClose, onCreated }: { onClose: () => void; onCreated: (token: CreatedToken) => void }) {
  const form = useForm<TokenValues>({
    initialValues: { name: '', role: 'read', expires: '1y' },
    validate: { name: (name) => (name.trim() === '' ? 'Say which program it is for' : null) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Create token"
      submitLabel="Create token"
      form={form}
      submit={(body) => answer(api.POST('/admin/api/tokens', { body }))}
      renew={[keys.tokens]}
      onDone={onCreated}
    >
      <TextInput
        label="Name"
        description="Which program it is for, such as “home automation”"
        maxLength={64}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label="It may" {...form.getInputProps('role')}>
        <Stack gap="xs" mt={6}>
          <Radio value="read" label="Read" description="Values, devices and their states" />
          <Radio
            value="read_write"
            label="Read and write"
            description="Also approved metrics, battery dispatch and the Energy Manager, while write access is on"
          />
        </Stack>
      </Radio.Group>
      <NativeSelect label="Works for" data={lifetimes} {...form.getInputProps('expires')} />
    </FormDialog>
  )
}

/** Shows a new token's value, this once. */
export function ShowToken({ token, onClose }: { token: CreatedToken; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Copy the token now" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" variant="light" icon={<IconEyeOff aria-hidden />} className="notice-banner" mb={0}>
          <Text size="md">It is shown this once. Keep it like a password.</Text>
        </Alert>
        <Code block className="token-value" aria-label="Token value">
          {token.token}
        </Code>
        <Text className="hearth-dimmed" size="sm">
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
      losses={[`The token “${token.name}”`, 'Access of every program that uses it, at once']}
      action={{
        run: () => answer(api.DELETE('/admin/api/tokens/{id}', { params: { path: { id: token.id } } })),
        renew: [keys.tokens],
      }}
    />
  )
}
