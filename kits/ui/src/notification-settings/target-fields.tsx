import { Group, NativeSelect, NumberInput, PasswordInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CopyButton } from '../copy-button.tsx'
import type { DestinationForm, TargetKind } from './destination-values.ts'

interface FieldsProps {
  form: UseFormReturnType<DestinationForm>
  /** The destination exists, and has its secret. */
  isStored: boolean
}

/** Inputs of a destination's kind. */
export function TargetFields({ kind, ...props }: FieldsProps & { kind: TargetKind }) {
  switch (kind) {
    case 'webhook':
      return <WebhookFields {...props} />
    case 'ntfy':
      return <NtfyFields {...props} />
    case 'gotify':
      return <GotifyFields {...props} />
    case 'email':
      return <EmailFields {...props} />
  }
}

const keptHint = 'Leave empty to keep the stored one'

function WebhookFields({ form, isStored }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Address"
        description="Gets a POST request with JSON for each message"
        type="url"
        placeholder="https://example.org/hooks/hearth"
        required
        {...form.getInputProps('url')}
      />
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          label="Signing secret"
          description={isStored ? keptHint : 'The receiver needs it to check signatures. It is not shown again.'}
          placeholder={isStored ? 'whsec_…' : ''}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('secret')}
        />
        {!isStored && <CopyButton text={form.getValues().secret}>Copy</CopyButton>}
      </Group>
    </>
  )
}

function NtfyFields({ form, isStored }: FieldsProps) {
  return (
    <>
      <TextInput label="Server" type="url" placeholder="https://ntfy.sh" required {...form.getInputProps('server')} />
      <TextInput
        label="Topic"
        description="On a public server, whoever knows the topic can read it"
        required
        autoComplete="off"
        {...form.getInputProps('topic')}
      />
      <PasswordInput
        label="Access token"
        description={isStored ? keptHint : 'Only for topics that need one'}
        autoComplete="off"
        {...form.getInputProps('token')}
      />
    </>
  )
}

function GotifyFields({ form, isStored }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Server"
        type="url"
        placeholder="https://gotify.example.org"
        required
        {...form.getInputProps('server')}
      />
      <PasswordInput
        label="Application token"
        description={isStored ? keptHint : 'In Gotify under Apps'}
        required={!isStored}
        autoComplete="off"
        {...form.getInputProps('token')}
      />
    </>
  )
}

const securities = [
  { value: 'starttls', label: 'STARTTLS' },
  { value: 'tls', label: 'TLS' },
  { value: 'none', label: 'None' },
]

const usualPorts = { starttls: 587, tls: 465, none: 25 } as const

function EmailFields({ form, isStored }: FieldsProps) {
  const { security } = form.getValues()
  const chooseSecurity = (next: string) => {
    const chosen = securities.find(({ value }) => value === next)?.value as DestinationForm['security']
    if (Object.values<unknown>(usualPorts).includes(form.getValues().port))
      form.setFieldValue('port', usualPorts[chosen])
    form.setFieldValue('security', chosen)
  }
  return (
    <>
      <TextInput label="Mail server" placeholder="mail.example.org" required {...form.getInputProps('host')} />
      <Group grow align="flex-start">
        <NativeSelect
          label="Encryption"
          description={security === 'none' ? 'Messages and password travel in the clear' : undefined}
          data={securities}
          value={security}
          onChange={(event) => chooseSecurity(event.currentTarget.value)}
        />
        <NumberInput label="Port" min={1} max={65_535} required hideControls {...form.getInputProps('port')} />
      </Group>
      <Group grow align="flex-start">
        <TextInput label="User name" autoComplete="off" {...form.getInputProps('username')} />
        <PasswordInput
          label="Password"
          description={isStored ? keptHint : undefined}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
      </Group>
      <TextInput
        label="Sender"
        type="email"
        placeholder="hearth@example.org"
        required
        {...form.getInputProps('from')}
      />
      <TextInput
        label="Recipients"
        description="Separate several with commas"
        placeholder="you@example.org"
        required
        {...form.getInputProps('to')}
      />
    </>
  )
}
