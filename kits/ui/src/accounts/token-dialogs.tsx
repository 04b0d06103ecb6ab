import { Alert, Button, Code, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { IconEyeOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { CopyButton } from '../copy-button.tsx'
import { FormDialog } from '../form-dialog.tsx'

/** A token as the list shows it. */
export interface TokenRow {
  readonly id: string
  readonly name: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

/** Values of the form for a new token, as far as services share them. */
export interface TokenValues extends Record<string, unknown> {
  name: string
  expires: '30d' | '90d' | '1y' | 'never'
}

/** Texts and calls of a service for its API tokens. */
export interface TokenAdministration<Token extends TokenRow, Values extends TokenValues> {
  readonly title: string
  readonly initialValues: Values
  /** Inputs between the name and the lifetime. */
  readonly permissionFields: (form: UseFormReturnType<Values>) => ReactNode
  /** Inputs after the lifetime. */
  readonly furtherFields?: (form: UseFormReturnType<Values>) => ReactNode
  /** Describes a token in the list of what is lost. */
  describe(token: Token): string
  /** Creates a token; resolves with its value. */
  create(values: Values): Promise<string>
  revoke(token: Token): Promise<unknown>
  /** Cached answers to read again after a change. */
  readonly renew: readonly (readonly unknown[])[]
}

interface AdminProps<Token extends TokenRow, Values extends TokenValues> {
  admin: TokenAdministration<Token, Values>
  onClose: () => void
}

const lifetimes = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: 'One year' },
  { value: 'never', label: 'No end' },
]

/** Creates a token; `onCreated` gets its value, which is shown once. */
export function CreateToken<Token extends TokenRow, Values extends TokenValues>(
  props: AdminProps<Token, Values> & { onCreated: (value: string) => void },
) {
  const { admin, onClose, onCreated } = props
  const form = useForm<Values>({
    initialValues: admin.initialValues,
    validate: ({ name }) => (name.trim() === '' ? { name: 'Enter a name for the token' } : {}),
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={admin.title}
      submitLabel="Create token"
      form={form}
      submit={(values) => admin.create(values)}
      renew={admin.renew}
      onDone={onCreated}
    >
      <TextInput
        label="Name"
        description="What it is for, such as “home automation”"
        maxLength={64}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {admin.permissionFields(form)}
      <NativeSelect label="Works for" data={lifetimes} {...form.getInputProps('expires')} />
      {admin.furtherFields?.(form)}
    </FormDialog>
  )
}

/** Shows the value of a new token, once. */
export function NewToken({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Copy the token now" closeOnClickOutside={false}>
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          It is shown only once. Whoever has it can do what it permits, so keep it like a password.
        </Alert>
        <Code block className="hearth-secret" aria-label="Token value">
          {value}
        </Code>
        <Text c="dimmed" size="sm">
          Send it as <Code>Authorization: Bearer …</Code>
        </Text>
        <Group justify="flex-end">
          <CopyButton text={value} variant="filled">
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
export function RevokeToken<Token extends TokenRow, Values extends TokenValues>(
  props: AdminProps<Token, Values> & { token: Token },
) {
  const { admin, token, onClose } = props
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Revoke ${token.name}?`}
      verb="Revoke token"
      losses={[admin.describe(token), 'Access of every program that uses it, at once']}
      action={{ run: () => admin.revoke(token), renew: admin.renew }}
    />
  )
}
