import { Button, Group, Stack, Text } from '@mantine/core'
import { Section, StatusBadge } from '@hearth/ui'
import { Link } from 'wouter'
import type { Onboarding, OnboardResult } from '../api.ts'
import { describeReach } from '../servers/node-words.ts'

/** Caddy is managed; with a result it was done just now. */
export function DoneStep({ state, result }: { state: Onboarding; result: OnboardResult | undefined }) {
  const where = state.is_own ? 'This service runs its own Caddy' : `Caddy at ${state.admin_url ?? 'its endpoint'}`
  return (
    <Section title="Caddy is managed">
      <Stack>
        <Group gap="sm">
          <StatusBadge tone={state.reachable ? 'good' : 'bad'}>{state.reachable ? 'Answers' : 'No answer'}</StatusBadge>
          <Text>
            {state.is_own ? `${where}, so there was nothing to take over.` : `${where} runs what this service says.`}
          </Text>
        </Group>
        {!state.reachable && state.error !== null && <Text c="dimmed">{describeReach(state.error)}</Text>}
        {result !== undefined && <Outcome result={result} />}
        <Group>
          <Button component={Link} href="/sites">
            {result !== undefined && result.imported > 0 ? 'See the sites' : 'Go to the sites'}
          </Button>
          <Button component={Link} href="/import" variant="default">
            Import sites from elsewhere
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}

function Outcome({ result }: { result: OnboardResult }) {
  return (
    <>
      <Text>
        {importedText(result.imported)} {!result.synced && `Not everything is served yet: ${result.detail}`}
      </Text>
      {result.left_out.length > 0 && <LeftOut entries={result.left_out} />}
    </>
  )
}

function importedText(count: number): string {
  if (count === 0) return 'No sites were imported.'
  return count === 1 ? '1 site was imported.' : `${count} sites were imported.`
}

/** Parts that an import could not turn into sites, each with its location and the reason. */
export function LeftOut({ entries }: { entries: readonly { path: string; message: string }[] }) {
  return (
    <section aria-label="Left out">
      <Text fw={600}>Left out</Text>
      <ul className="left-out">
        {entries.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <span className="hearth-mono">{path}</span>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
