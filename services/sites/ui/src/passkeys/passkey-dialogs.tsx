import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { answer, applyFieldProblems, ConfirmDelete, FormDialog, notifyDone, Problem } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconFingerprint } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Passkey } from '../api.ts'
import { proposeDeviceName } from './authenticator-names.ts'
import { describeCeremony } from './ceremony-words.ts'
import { registerPasskey } from './register-passkey.ts'
import { ApiError } from '@hearth/ui'

const named = (value: string) => (value.trim() === '' ? 'Required' : null)

/** Names a passkey, then has the browser make it. */
export function AddPasskey({ onClose, onDone }: { onClose: () => void; onDone?: () => void }) {
  const cache = useQueryClient()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const form = useForm({
    initialValues: { device_name: proposeDeviceName(navigator.userAgent) },
    validate: { device_name: named },
  })
  const submit = form.onSubmit(async ({ device_name: name }) => {
    setBusy(true)
    setProblem(undefined)
    try {
      const passkey = await registerPasskey(name.trim())
      for (const queryKey of [keys.passkeys, keys.account]) void cache.invalidateQueries({ queryKey })
      notifyDone(`“${passkey.device_name}” is a passkey of yours now`)
      onClose()
      onDone?.()
    } catch (error) {
      const isField = error instanceof ApiError && error.fields.length > 0
      setProblem(isField ? (applyFieldProblems(form, error) ?? undefined) : describeCeremony(error))
      setBusy(false)
    }
  })
  return (
    <Modal opened onClose={onClose} title="Add a passkey">
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>
            The browser asks where to keep it: this device, a phone, a security key or a password manager. It signs you
            in without a password.
          </Text>
          <Problem text={problem} />
          <TextInput
            label="Name"
            description="So that you know later which one it is"
            maxLength={100}
            data-autofocus
            required
            {...form.getInputProps('device_name')}
          />
          <Group justify="flex-end" className="hearth-dialog-actions">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} leftSection={<IconFingerprint size={16} aria-hidden />}>
              Make the passkey
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Gives a passkey another name. */
export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const form = useForm({ initialValues: { device_name: passkey.device_name }, validate: { device_name: named } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Rename passkey"
      submitLabel="Rename"
      form={form}
      submit={(body) => answer(api.PATCH('/api/passkeys/{id}', { params: { path: { id: passkey.id } }, body }))}
      onDone={({ device_name: name }) => notifyDone(`It is called “${name}” now`)}
      renew={[keys.passkeys]}
    >
      <TextInput label="Name" maxLength={100} data-autofocus required {...form.getInputProps('device_name')} />
    </FormDialog>
  )
}

/** Asks before a passkey goes. */
export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove “${passkey.device_name}”?`}
      verb="Remove passkey"
      losses={['Signing in with this passkey', 'Your sessions in other browsers, which end at once']}
      action={{
        run: () => answer(api.DELETE('/api/passkeys/{id}', { params: { path: { id: passkey.id } } })),
        renew: [keys.passkeys, keys.account],
      }}
    />
  )
}
