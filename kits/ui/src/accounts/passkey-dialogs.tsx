import { List, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ApiError } from '../api-error.ts'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { notifyDone } from '../notifications.tsx'
import { proposeDeviceName } from './authenticator-names.ts'
import { CurrentPassword, passwordRequired } from './current-password.tsx'
import { describeCeremony, makePasskey } from './passkey-ceremony.ts'
import { atCurrentPassword } from './password-fields.tsx'

/** A passkey as the list shows it. */
export interface PasskeyRow {
  readonly id: string
  readonly device_name: string
  /** Kind of authenticator. */
  readonly aaguid: string
  readonly transports: readonly string[]
  /** A provider keeps it, so that other devices have it too. */
  readonly backed_up: boolean
  readonly created_at: string
  readonly last_used_at: string | null
}

/** Calls of a service for the passkeys of the signed-in user. */
export interface PasskeyAdministration {
  /** The dialogs ask for the current password, which the calls then get; otherwise they get an empty one. */
  readonly needsPassword?: boolean
  startRegistration(password: string): Promise<PublicKeyCredentialCreationOptionsJSON>
  finishRegistration(credential: object, deviceName: string): Promise<PasskeyRow>
  rename(passkey: PasskeyRow, deviceName: string): Promise<PasskeyRow>
  remove(passkey: PasskeyRow, password: string): Promise<unknown>
  /** Cached answers to read again after a change. */
  readonly renew: readonly (readonly unknown[])[]
}

interface DialogProps {
  admin: PasskeyAdministration
  onClose: () => void
}

const required = (text: string) => (text.trim() === '' ? 'Required' : null)

/** Names a passkey, then has the browser make it. */
export function AddPasskey({ admin, onClose }: DialogProps) {
  const { needsPassword = false } = admin
  const form = useForm({
    initialValues: { device_name: proposeDeviceName(navigator.userAgent), current_password: '' },
    validate: { device_name: required, ...(needsPassword && { current_password: passwordRequired }) },
  })
  const submit = async ({ device_name: name, current_password: password }: typeof form.values) => {
    try {
      return await admin.finishRegistration(await makePasskey(await admin.startRegistration(password)), name.trim())
    } catch (thrown) {
      const error = atCurrentPassword(thrown)
      if (error instanceof ApiError && error.fields.length > 0) throw error
      throw new ApiError(describeCeremony(error), { status: 0 })
    }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add a passkey"
      submitLabel="Make the passkey"
      form={form}
      submit={submit}
      onDone={({ device_name: name }) => notifyDone(`“${name}” is a passkey of yours now`)}
      renew={admin.renew}
    >
      <Text>
        The browser asks where to keep it: this device, a phone, a security key or a password manager. It signs you in
        without a password.
      </Text>
      <TextInput
        label="Name"
        description="So that you know later which one it is"
        maxLength={100}
        data-autofocus
        required
        {...form.getInputProps('device_name')}
      />
      {needsPassword && <CurrentPassword form={form} />}
    </FormDialog>
  )
}

/** Gives a passkey another name. */
export function RenamePasskey({ admin, passkey, onClose }: DialogProps & { passkey: PasskeyRow }) {
  const form = useForm({ initialValues: { device_name: passkey.device_name }, validate: { device_name: required } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Rename passkey"
      submitLabel="Rename"
      form={form}
      submit={({ device_name: name }) => admin.rename(passkey, name)}
      onDone={({ device_name: name }) => notifyDone(`It is called “${name}” now`)}
      renew={admin.renew}
    >
      <TextInput label="Name" maxLength={100} data-autofocus required {...form.getInputProps('device_name')} />
    </FormDialog>
  )
}

const losses = ['Signing in with this passkey', 'Your sessions in other browsers, which end at once']

/** Asks before a passkey goes. */
export function RemovePasskey({ admin, passkey, onClose }: DialogProps & { passkey: PasskeyRow }) {
  if (admin.needsPassword === true) return <RemoveByPassword admin={admin} passkey={passkey} onClose={onClose} />
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove “${passkey.device_name}”?`}
      verb="Remove passkey"
      losses={losses}
      action={{ run: () => admin.remove(passkey, ''), renew: admin.renew }}
    />
  )
}

function RemoveByPassword({ admin, passkey, onClose }: DialogProps & { passkey: PasskeyRow }) {
  const form = useForm({ initialValues: { current_password: '' }, validate: { current_password: passwordRequired } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Remove “${passkey.device_name}”?`}
      submitLabel="Remove passkey"
      submitButton={{ color: 'red' }}
      form={form}
      submit={({ current_password: password }) =>
        admin.remove(passkey, password).catch((error: unknown) => {
          throw atCurrentPassword(error)
        })
      }
      onDone={() => notifyDone(`“${passkey.device_name}” is removed`)}
      renew={admin.renew}
    >
      <Text>You lose:</Text>
      <List>
        {losses.map((loss) => (
          <List.Item key={loss}>{loss}</List.Item>
        ))}
      </List>
      <CurrentPassword form={form} hasFocus />
    </FormDialog>
  )
}
