import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, type Column, DataTable, FormDialog, RelativeTime, Section, tableAnswer } from '@hearth/ui'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Schemas } from '../api.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { useSigningKeys } from './read-applications.ts'

type SigningKey = Schemas['OpenIdKey']

const states: Readonly<Record<SigningKey['state'], string>> = {
  next: 'Signs next',
  signing: 'Signs now',
  previous: 'Signed before',
}

const columns: Column<SigningKey>[] = [
  { key: 'kid', header: 'Key', role: 'title', render: ({ kid }) => <code>{kid}</code> },
  { key: 'state', header: 'State', render: ({ state }) => states[state] },
  { key: 'from', header: 'Signs since', render: (key) => <RelativeTime value={key.signs_from} absent="not yet" /> },
  {
    key: 'until',
    header: 'Known until',
    render: (key) => <RelativeTime value={key.published_until} absent="no end" />,
  },
]

/** The keys that sign ID tokens, and their rotation. */
export function KeySection() {
  const signing = useSigningKeys()
  const [isAsking, setAsking] = useState(false)
  return (
    <Section
      title="Signing keys"
      actions={
        <IconButton icon={IconRefresh} size="xs" onClick={() => setAsking(true)}>
          Rotate now
        </IconButton>
      }
    >
      <DataTable
        label="Signing keys"
        columns={columns}
        rowKey={({ kid }) => kid}
        answer={tableAnswer(signing, signing.data)}
        empty={<p>They are made with the first sign-in, and rotate every 90 days.</p>}
      />
      {isAsking && <RotateDialog onClose={() => setAsking(false)} />}
    </Section>
  )
}

function RotateDialog({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Let the next key sign now?"
      submitLabel="Rotate now"
      form={useForm({ initialValues: {} })}
      submit={() => answer(api.POST('/api/v1/openid/keys/rotate'))}
      renew={[keys.signingKeys]}
    >
      <Text>
        What the key before has signed stays good. An application that keeps an old list of keys may refuse sign-ins
        until it reads the list again.
      </Text>
    </FormDialog>
  )
}
