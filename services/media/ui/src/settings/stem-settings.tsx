import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import {
  answer,
  Fact,
  formatCount,
  Problem,
  QueryState,
  RelativeTime,
  Section,
  StatusBadge,
  useAction,
} from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconLogout, IconRefresh } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, readStemStatus, type Settings, type StemStatus } from '../api.ts'
import { Waiting } from '../progress/waiting.tsx'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { SettingsGroup, showFieldProblem, type SettingField } from './settings-group.tsx'

const separations: readonly SettingField[] = [
  {
    name: 'stemsvc_duration_guard',
    label: 'Ten minutes at most',
    description: 'Guards against using up the minutes of the account with one long mix.',
  },
  { name: 'stemsvc_max_download_gib', label: 'Largest stem', description: '1 to 100 GiB.', unit: 'GiB' },
]

/** The account at the stem service, and the limits of separations. */
export function StemSettings({ settings }: { settings: Settings }) {
  return (
    <>
      <AccountCard />
      <SettingsGroup title="Separations" settings={settings} fields={separations} />
    </>
  )
}

function AccountCard() {
  const status = useQuery({ queryKey: keys.stemStatus, queryFn: () => readStemStatus() })
  return (
    <Section title="Stem service" actions={status.data !== undefined && <AccountBadge status={status.data} />}>
      <QueryState query={status} lines={2} />
      {status.data !== undefined && (status.data.configured ? <Account status={status.data} /> : <KeyForm />)}
    </Section>
  )
}

function AccountBadge({ status }: { status: StemStatus }) {
  if (!status.configured) return <StatusBadge tone="quiet">Not set up</StatusBadge>
  if (status.token_valid === null) return <StatusBadge tone="quiet">Not checked</StatusBadge>
  return status.token_valid ? (
    <StatusBadge tone="good">Works</StatusBadge>
  ) : (
    <StatusBadge tone="bad">Key is not accepted</StatusBadge>
  )
}

function Account({ status }: { status: StemStatus }) {
  const cache = useQueryClient()
  const check = useAction<void, StemStatus>({
    run: () => readStemStatus(true),
    done: ({ token_valid: isValid }) => (isValid === true ? 'The key works' : 'The key was checked'),
    onDone: (fresh) => cache.setQueryData(keys.stemStatus, fresh),
  })
  const { remaining_minutes: left, validated_at: checked } = status
  return (
    <Stack gap="sm">
      <dl className="hearth-facts" data-start>
        <Fact name="Account">{status.email ?? '–'}</Fact>
        <Fact name="Left">{left === null ? 'Not known' : formatCount(left, 'minute')}</Fact>
        <Fact name="Checked">
          <RelativeTime value={checked === null ? null : new Date(checked * 1000).toISOString()} />
        </Fact>
      </dl>
      <Problem text={status.validation_error ?? undefined} />
      {check.isPending && <Waiting label="Checking with the service" max={20} />}
      <Group gap="xs">
        <ActionButton icon={IconRefresh} loading={check.isPending} onClick={() => check.mutate()}>
          Check now
        </ActionButton>
        <DeleteButton
          icon={IconLogout}
          title="Forget the key?"
          losses={['The activation key stored here; stems that were made stay', 'Separations under way may fail']}
          verb="Forget key"
          action={{ run: () => answer(api.POST('/api/stemsvc/auth/logout')), renew: [keys.stemStatus] }}
        >
          Forget the key
        </DeleteButton>
      </Group>
    </Stack>
  )
}

function KeyForm() {
  const [problem, setProblem] = useState<string>()
  const form = useForm({ initialValues: { email: '', activation_key: '' } })
  const store = useAction<{ email: string; activation_key: string }>({
    run: (body) => answer(api.POST('/api/stemsvc/auth/activation-key', { body })),
    renew: [keys.stemStatus],
    onProblem: (error) => setProblem(showFieldProblem(form, error)),
  })
  const submit = form.onSubmit((values) => {
    setProblem(undefined)
    store.mutate(values)
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text c="dimmed" maw={560}>
          Vocals and accompaniment are separated by an external service, for which you need an account with minutes. Its
          activation key stands in your profile there.
        </Text>
        <TextInput
          label="E-mail of the account"
          type="email"
          autoComplete="off"
          maw={420}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Activation key"
          description="Stored encrypted, and never shown again"
          autoComplete="off"
          maw={420}
          {...form.getInputProps('activation_key')}
        />
        <Problem text={problem} />
        {store.isPending && <Waiting label="Checking with the service" max={20} />}
        <Group>
          <Button type="submit" loading={store.isPending}>
            Check and store
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
