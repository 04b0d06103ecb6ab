import { Button, Group, Text, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog, notifyDone, Section } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Settings } from '../api.ts'

type Registration = Settings['ssllabs']

/** With whose name SSL Labs is asked. */
export function SslLabsSection({ registration }: { registration: Registration }) {
  const [dialog, setDialog] = useState<'edit' | 'remove'>()
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Registration at SSL Labs"
      actions={
        <Group gap="xs">
          {registration !== null && (
            <Button
              variant="default"
              c="var(--hearth-bad)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setDialog('remove')}
            >
              Remove
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setDialog('edit')}
          >
            {registration === null ? 'Give details' : 'Change'}
          </Button>
        </Group>
      }
    >
      {registration === null ? (
        <Text c="dimmed">
          None. SSL Labs grades only for people it knows by name, organisation and an e-mail address of that
          organisation.
        </Text>
      ) : (
        <dl className="hearth-facts" data-start>
          <div>
            <dt>Name</dt>
            <dd>
              {registration.first_name} {registration.last_name}
            </dd>
          </div>
          <div>
            <dt>Organisation</dt>
            <dd>{registration.organization}</dd>
          </div>
          <div>
            <dt>E-mail</dt>
            <dd>{registration.masked_email}</dd>
          </div>
        </dl>
      )}
      {dialog === 'edit' && <EditRegistration registration={registration} onClose={close} />}
      <ConfirmDelete
        opened={dialog === 'remove'}
        onClose={close}
        title="Remove the registration?"
        verb="Remove registration"
        losses={[
          'Name, organisation and e-mail address as they are kept here',
          'Grading by SSL Labs; what was graded stays',
        ]}
        action={{
          run: () => answer(api.PATCH('/api/v1/settings', { body: { ssllabs: null } })),
          done: () => 'The registration is removed',
          renew: [keys.settings],
        }}
      />
    </Section>
  )
}

const needed = (text: string) => (text.trim() === '' ? 'Is needed' : null)

function EditRegistration({ registration, onClose }: { registration: Registration; onClose: () => void }) {
  const form = useForm({
    initialValues: {
      first_name: registration?.first_name ?? '',
      last_name: registration?.last_name ?? '',
      organization: registration?.organization ?? '',
      email: '',
    },
    validate: { first_name: needed, last_name: needed, organization: needed, email: needed },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Registration at SSL Labs"
      submitLabel="Save"
      form={form}
      submit={(ssllabs) => answer(api.PATCH('/api/v1/settings', { body: { ssllabs } }))}
      onDone={() => notifyDone('The details are saved')}
      renew={[keys.settings]}
    >
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
    </FormDialog>
  )
}
