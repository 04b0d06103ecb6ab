import { Button, Group, Text } from '@mantine/core'
import { ErrorState, LoadingLines, PageHeader, Section, StatusBadge, useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { RecoverySection } from '../account/recovery-section.tsx'
import { api, keys, readSession } from '../api.ts'
import { PasskeySection } from '../passkeys/passkey-section.tsx'
import { answer } from '@hearth/ui'

/** The first minutes: ways in that do not hang on one password, and Caddy. */
export function WelcomePage() {
  const { user, isAdmin } = useSession()
  const session = useQuery({ queryKey: keys.account, queryFn: readSession })
  return (
    <>
      <PageHeader
        title={`Welcome, ${user.username}`}
        description="You can come in with your password. Two things now save trouble later."
        actions={
          <Button component={Link} href="/">
            Go to the dashboard
          </Button>
        }
      />
      <div className="hearth-stack">
        <PasskeySection />
        {session.data === undefined && session.error === null && <LoadingLines lines={2} />}
        {session.data === undefined && session.error !== null && (
          <ErrorState error={session.error} onRetry={() => void session.refetch()} />
        )}
        {session.data !== undefined && <RecoverySection session={session.data} />}
        {isAdmin && <CaddyNext />}
      </div>
    </>
  )
}

function CaddyNext() {
  const state = useQuery({ queryKey: keys.onboarding, queryFn: () => answer(api.GET('/api/caddy/onboarding')) })
  const isDone = state.data?.complete === true
  return (
    <Section title="Caddy">
      {state.data === undefined && state.error === null && <LoadingLines lines={1} />}
      {state.data === undefined && state.error !== null && (
        <ErrorState error={state.error} onRetry={() => void state.refetch()} />
      )}
      {state.data !== undefined && (
        <Group justify="space-between">
          <Group gap="sm">
            <StatusBadge tone={isDone ? 'good' : 'warn'}>{isDone ? 'Managed' : 'Not managed yet'}</StatusBadge>
            <Text c="dimmed">
              {isDone ? 'It waits for your first site.' : 'Say which Caddy it is, and what becomes of what it serves.'}
            </Text>
          </Group>
          <Button component={Link} href={isDone ? '/sites' : '/onboarding'} variant="default">
            {isDone ? 'Add the first site' : 'Take over Caddy'}
          </Button>
        </Group>
      )}
    </Section>
  )
}
