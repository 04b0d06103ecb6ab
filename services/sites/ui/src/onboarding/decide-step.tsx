import { Alert, Button, Checkbox, Group, Loader, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { applyFieldProblems, notifyProblem, Problem, Section } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconAlertTriangle, IconEye } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Onboarding, OnboardRequest, OnboardResult } from '../api.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { ImportOutcome } from '../imports/import-outcome.tsx'
import { summary } from '../imports/import-words.ts'
import { sendImport } from '../imports/send-import.ts'
import { missingAnswers } from './onboarding-step.ts'
import { useOnboard } from './use-onboard.ts'

interface Values extends Record<string, unknown> {
  mode: '' | 'import' | 'replace'
  acme_email: string
  confirm_exclusive: boolean
}

/** Caddy answers: what becomes of what it serves, and that nobody else changes it from now on. */
export function DecideStep(props: { state: Onboarding; email: string; onDone: (result: OnboardResult) => void }) {
  const { state, email, onDone } = props
  const [problem, setProblem] = useState<string>()
  const isBlank = state.is_blank === true
  const onboard = useOnboard(onDone)
  const form = useForm<Values>({
    initialValues: { mode: '', acme_email: email, confirm_exclusive: false },
    validate: (values) => missingAnswers(state, { mode: values.mode, confirmed: values.confirm_exclusive }),
  })
  const submit = form.onSubmit((values) => {
    setProblem(undefined)
    onboard.mutate(requestOf(values, isBlank), {
      onError: (error) => setProblem(applyFieldProblems(form, error) ?? undefined),
    })
  })
  if (onboard.isPending) return <Working isImport={form.getValues().mode === 'import'} />
  return (
    <form onSubmit={submit} noValidate className="hearth-stack">
      {state.warnings.length > 0 && <Warnings warnings={state.warnings} />}
      <Section title="What Caddy serves now">
        {isBlank ? (
          <Text>Nothing yet, so nothing can get lost. It is at {state.admin_url ?? 'its endpoint'}.</Text>
        ) : (
          <Stack>
            <HostList hosts={state.hosts} />
            <ModeChoice input={form.getInputProps('mode')} />
            {form.getValues().mode === 'import' && <PreviewImport />}
          </Stack>
        )}
      </Section>
      <Section title="From now on">
        <Stack>
          <TextInput
            label="E-mail for certificates"
            description="Let’s Encrypt writes here when something is wrong with one. May be empty."
            type="email"
            autoComplete="email"
            placeholder="you@example.org"
            {...form.getInputProps('acme_email')}
          />
          {!isBlank && (
            <Checkbox
              label="This service alone changes the configuration of this Caddy"
              description="What its Caddyfile says, or another tool sends, is shown as a difference and can be put back"
              {...form.getInputProps('confirm_exclusive', { type: 'checkbox' })}
            />
          )}
          <Problem text={problem} />
          <Group>
            <Button type="submit">Take over Caddy</Button>
          </Group>
        </Stack>
      </Section>
    </form>
  )
}

function requestOf({ mode, acme_email, confirm_exclusive }: Values, isBlank: boolean): OnboardRequest {
  const email = acme_email.trim()
  return {
    ...(email === '' ? {} : { acme_email: email }),
    ...(isBlank || mode === '' ? {} : { mode, confirm_exclusive }),
  }
}

function ModeChoice({ input }: { input: object }) {
  return (
    <Radio.Group label="What becomes of it?" {...input}>
      <Stack gap="sm" my="xs">
        <Radio
          value="import"
          label="Import it"
          description="Hosts become sites that you can edit. What cannot be expressed is listed afterwards, and no longer served."
        />
        <Radio
          value="replace"
          label="Replace it"
          description="Begin without sites. All of the above is no longer served."
        />
      </Stack>
    </Radio.Group>
  )
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Before you go on">
      <ul className="alert-list">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Alert>
  )
}

function Working({ isImport }: { isImport: boolean }) {
  return (
    <output className="hearth-empty">
      <Loader aria-hidden />
      <Text fw={600}>Taking over</Text>
      <Text c="dimmed" maw={440}>
        {isImport ? 'What runs is read and turned into sites, then' : 'The configuration is'} applied, and then checked.
        This takes some seconds.
      </Text>
    </output>
  )
}

const fewHosts = 12

/** The names a Caddy serves; many of them are folded. */
function HostList({ hosts }: { hosts: readonly string[] }) {
  const [isWhole, setWhole] = useState(hosts.length <= fewHosts)
  if (hosts.length === 0) return <Text>It has a configuration, but no host names of its own.</Text>
  const shown = isWhole ? hosts : hosts.slice(0, fewHosts)
  return (
    <div>
      <ul className="host-list" aria-label="Hosts served now">
        {shown.map((host) => (
          <li key={host} className="hearth-mono">
            {host}
          </li>
        ))}
      </ul>
      {!isWhole && (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          Show all {hosts.length}
          {hosts.length === 200 && ' of the first'}
        </Button>
      )}
    </div>
  )
}

/** The server that is taken over first. */
const firstNode = 1

/** Previews an import of what runs, before anything is decided. */
function PreviewImport() {
  const look = useMutation({
    mutationFn: () => sendImport({ kind: 'node', id: firstNode }, true),
    onError: notifyProblem,
  })
  return (
    <div>
      <IconButton icon={IconEye} loading={look.isPending} onClick={() => look.mutate()}>
        Preview the import
      </IconButton>
      <Modal opened={look.data !== undefined} onClose={() => look.reset()} title="What would be imported" size="xl">
        {look.data !== undefined && (
          <Stack>
            <Text fw={600}>{summary(look.data)}</Text>
            <ImportOutcome answer={look.data} />
          </Stack>
        )}
      </Modal>
    </div>
  )
}
