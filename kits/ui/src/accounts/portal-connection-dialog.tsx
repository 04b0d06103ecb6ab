import { Modal, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../form-dialog.tsx'
import { LoadingLines } from '../page-parts.tsx'
import type { Neighbour } from '../service-switcher.tsx'
import { CurrentPassword, passwordRequired } from './current-password.tsx'
import { atCurrentPassword } from './password-fields.tsx'
import type { PortalConnectionApi } from './portal-connection-api.ts'

interface ConnectDialogProps {
  api: PortalConnectionApi
  /** Reads the other services, of which one may know a portal. */
  neighbours: () => Promise<readonly Neighbour[]>
  onClose: () => void
}

/** Asks for the address of the portal, and goes there. */
export function PortalConnectionDialog({ neighbours, ...props }: ConnectDialogProps) {
  const found = useQuery({ queryKey: ['neighbours'], queryFn: neighbours, staleTime: 10_000 })
  if (found.isLoading)
    return (
      <Modal opened onClose={props.onClose} title={title}>
        <LoadingLines lines={3} />
      </Modal>
    )
  const suggested = found.data?.find(({ portal }) => typeof portal === 'string')?.portal ?? ''
  return <ConnectForm {...props} suggested={suggested} />
}

const title = 'Connect to a portal'

type ConnectValues = { issuer: string; current_password: string }

/** The form; what is suggested counts once, and later answers change nothing that somebody typed. */
function ConnectForm({ api, onClose, ...props }: Omit<ConnectDialogProps, 'neighbours'> & { suggested: string }) {
  const [suggested] = useState(props.suggested)
  const form = useForm<ConnectValues>({
    initialValues: { issuer: suggested, current_password: '' },
    validate: {
      issuer: (address) => (address.trim() === '' ? 'Required' : null),
      current_password: passwordRequired,
    },
  })
  return (
    <FormDialog<ConnectValues, { url: string }>
      opened
      onClose={onClose}
      title={title}
      submitLabel="Continue at the portal"
      form={form}
      submit={(values) =>
        api.start(values).catch((error: unknown) => {
          throw atCurrentPassword(error)
        })
      }
      onDone={({ url }) => window.location.assign(url)}
    >
      <Text size="sm" c="dimmed">
        The portal asks an administrator who may sign in here, and leads back to this page.
      </Text>
      <TextInput
        label="Address of the portal"
        description={
          suggested === ''
            ? 'The domain of the portal site in Hearth Sites'
            : 'The portal of the Hearth Sites service found next to this one'
        }
        placeholder="https://auth.example.org"
        autoCapitalize="none"
        autoComplete="url"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('issuer')}
      />
      <CurrentPassword form={form} />
    </FormDialog>
  )
}
