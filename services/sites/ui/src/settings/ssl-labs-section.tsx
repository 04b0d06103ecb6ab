import { Checkbox, Group, Text, TextInput } from '@mantine/core'
import {
  answer,
  ApiError,
  ConfirmDelete,
  Fact,
  FormDialog,
  QueryState,
  Section,
  StatusBadge,
  type Tone,
  useAction,
} from '@hearth/ui'
import { isNotEmpty, useForm } from '@mantine/form'
import { IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys, type Settings, type SslLabsStatus } from '../api.ts'

type Details = Settings['ssllabs']

/** The identity that SSL Labs scans are requested with, and whether it is registered. */
export function SslLabsSection({ details }: { details: Details }) {
  const [dialog, setDialog] = useState<'register' | 'remove'>()
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Registration at SSL Labs"
      actions={
        <Group gap="xs">
          {details !== null && (
            <IconButton icon={IconTrash} c="var(--hearth-bad)" onClick={() => setDialog('remove')}>
              Remove
            </IconButton>
          )}
          <IconButton icon={IconPencil} onClick={() => setDialog('register')}>
            {details === null ? 'Register' : 'Register again'}
          </IconButton>
        </Group>
      }
    >
      {details === null ? (
        <Text c="dimmed">
          None. SSL Labs grades only for people it knows by name, organisation and an e-mail address of that
          organisation.
        </Text>
      ) : (
        <Registered details={details} />
      )}
      {dialog === 'register' && <Register details={details} onClose={close} />}
      <ConfirmDelete
        opened={dialog === 'remove'}
        onClose={close}
        title="Remove the registration?"
        verb="Remove registration"
        losses={[
          'Name, organisation and e-mail address as they are kept here; SSL Labs keeps its own',
          'Grading by SSL Labs; what was graded stays',
        ]}
        action={{
          run: () => answer(api.PATCH('/api/v1/settings', { body: { ssllabs: null } })),
          done: () => 'The registration is removed',
          renew: [keys.settings, keys.sslLabs],
        }}
      />
    </Section>
  )
}

function Registered({ details }: { details: NonNullable<Details> }) {
  const status = useQuery({
    queryKey: keys.sslLabs,
    queryFn: () => answer(api.GET('/api/v1/ssllabs/registration-status')),
  })
  return (
    <>
      <dl className="hearth-facts" data-start>
        <Fact name="Name">
          {details.first_name} {details.last_name}
        </Fact>
        <Fact name="Organisation">{details.organization}</Fact>
        <Fact name="E-mail">{details.masked_email}</Fact>
      </dl>
      <QueryState query={status} lines={1} />
      {status.data !== undefined && <Standing status={status.data} />}
    </>
  )
}

function Standing({ status }: { status: SslLabsStatus }) {
  const refresh = useAction<void, SslLabsStatus>({
    run: () => answer(api.POST('/api/v1/ssllabs/refresh-status')),
    renew: [keys.sslLabs],
  })
  const [tone, text] = standingOf(status.is_registered)
  return (
    <Group gap="sm" mt="md">
      <StatusBadge tone={tone}>{text}</StatusBadge>
      <Text c="dimmed" flex="1 1 220px">
        {status.message}
      </Text>
      <IconButton icon={IconRefresh} size="xs" loading={refresh.isPending} onClick={() => refresh.mutate()}>
        Check again
      </IconButton>
    </Group>
  )
}

function standingOf(isRegistered: boolean | null): [Tone, string] {
  if (isRegistered === null) return ['quiet', 'Not known']
  return isRegistered ? ['good', 'Registered'] : ['warn', 'Not registered']
}

const needed = isNotEmpty('Required')

function Register({ details, onClose }: { details: Details; onClose: () => void }) {
  const [isFreeMail, setFreeMail] = useState(false)
  const form = useForm({
    initialValues: {
      first_name: details?.first_name ?? '',
      last_name: details?.last_name ?? '',
      organization: details?.organization ?? '',
      email: '',
      accept_free_mail: false,
    },
    validate: { first_name: needed, last_name: needed, organization: needed, email: needed },
  })
  const submit = async (body: typeof form.values) => {
    try {
      return await answer(api.POST('/api/v1/ssllabs/register', { body }))
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'free_mail') throw error
      setFreeMail(true)
      const text = 'This is an address of a free provider. SSL Labs refuses those as a rule.'
      throw new ApiError(text, { status: 409, details: { field: 'email' } })
    }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Register at SSL Labs"
      submitLabel="Send to SSL Labs"
      form={form}
      submit={submit}
      renew={[keys.settings, keys.sslLabs]}
    >
      <Text size="sm" c="dimmed">
        What you enter is sent to SSL Labs as it is, and kept in the settings.
      </Text>
      <Group grow align="start">
        <TextInput
          label="First name"
          autoComplete="given-name"
          data-autofocus
          required
          {...form.getInputProps('first_name')}
        />
        <TextInput label="Last name" autoComplete="family-name" required {...form.getInputProps('last_name')} />
      </Group>
      <TextInput label="Organisation" autoComplete="organization" required {...form.getInputProps('organization')} />
      <TextInput
        label="E-mail"
        description="Of that organisation; addresses of free providers are refused there"
        type="email"
        autoComplete="email"
        required
        {...form.getInputProps('email')}
      />
      {isFreeMail && (
        <Checkbox
          label="Send this address nevertheless"
          {...form.getInputProps('accept_free_mail', { type: 'checkbox' })}
        />
      )}
    </FormDialog>
  )
}
