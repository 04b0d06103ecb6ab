import { Button, Group, Text } from '@mantine/core'
import { answer, LoadingLines, PageHeader, QueryState, Section, StatusBadge, useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect } from 'wouter'
import { Passkeys, RecoveryCodes } from '../account/sign-in-methods.tsx'
import { api, keys, readSession } from '../api.ts'
import { readSites } from '../sites/read-sites.ts'

/** The first minutes: more sign-in methods than one password, and Caddy. Leads on to the dashboard once there is a site. */
export function WelcomePage() {
  const { isAdmin } = useSession()
  const sites = useQuery({
    queryKey: [...keys.sites, 'count'],
    queryFn: async () => (await readSites({ limit: 1 })).total,
    enabled: isAdmin,
  })
  if (isAdmin && sites.isPending) return <LoadingLines lines={6} />
  return (sites.data ?? 0) > 0 ? <Redirect to="/" replace /> : <FirstSteps />
}

function FirstSteps() {
  const { user, isAdmin } = useSession()
  const session = useQuery({ queryKey: keys.account, queryFn: readSession })
  return (
    <>
      <PageHeader
        title={`Welcome, ${user.username}`}
        description="You can sign in with your password. A passkey and recovery codes now save trouble later."
        actions={
          <Button component={Link} href="/">
            Go to the dashboard
          </Button>
        }
      />
      <div className="hearth-stack">
        <Passkeys />
        <QueryState query={session} lines={2} />
        {session.data !== undefined && <RecoveryCodes session={session.data} />}
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
      <QueryState query={state} lines={1} />
      {state.data !== undefined && (
        <Group justify="space-between">
          <Group gap="sm">
            <StatusBadge tone={isDone ? 'good' : 'warn'}>{isDone ? 'Managed' : 'Not managed yet'}</StatusBadge>
            <Text c="dimmed">
              {isDone ? 'Ready for your first site.' : 'Choose a Caddy, and what becomes of the sites it serves.'}
            </Text>
          </Group>
          <Button component={Link} href={isDone ? '/sites/new' : '/onboarding'} variant="default">
            {isDone ? 'Add the first site' : 'Take over Caddy'}
          </Button>
        </Group>
      )}
    </Section>
  )
}
