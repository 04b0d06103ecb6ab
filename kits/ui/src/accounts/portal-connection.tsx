import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { describeError } from '../api-error.ts'
import { Fact, LoadingLines, QueryState, Section } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import type { Neighbour } from '../service-switcher.tsx'
import { Problem } from '../sign-in.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { useAction } from '../use-action.ts'
import type { PortalConnection, PortalConnectionApi } from './portal-connection-api.ts'
import { PortalConnectionDialog } from './portal-connection-dialog.tsx'
import { readPortalReturn } from './portal-return.ts'

/** Name of the cached answer. */
const queryKey = ['portal-connection'] as const

interface PortalConnectionProps {
  api: PortalConnectionApi
  /** Reads the other services of the installation, to suggest the address of the portal. */
  neighbours: () => Promise<readonly Neighbour[]>
}

/** The section **Sign in with Hearth**: connects the service to a portal, and ends that. */
export function PortalConnectionSection({ api, neighbours }: PortalConnectionProps) {
  const connection = useQuery({ queryKey, queryFn: () => api.read() })
  const [isConnecting, setConnecting] = useState(false)
  const finish = useReturn(api)
  const { data } = connection
  const isFree = data?.state === 'none' && data.obstacle === null && isAtPublicAddress(data)
  return (
    <Section
      title="Sign in with Hearth"
      actions={
        isFree &&
        !finish.isPending && (
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            onClick={() => setConnecting(true)}
          >
            Connect
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Problem text={finish.problem} />
        {finish.isPending ? <Finishing /> : <QueryState query={connection} lines={2} />}
        {data !== undefined && !finish.isPending && <State connection={data} api={api} />}
      </Stack>
      {isConnecting && <PortalConnectionDialog {...{ api, neighbours }} onClose={() => setConnecting(false)} />}
    </Section>
  )
}

/** Finishes a connection when the browser comes back from the portal; returns what to say about it. */
function useReturn(api: PortalConnectionApi) {
  const client = useQueryClient()
  const [found] = useState(() => readPortalReturn(window.location.href))
  const [problem, setProblem] = useState(found.problem)
  const isRead = useRef(false)
  const { mutate, isPending } = useAction<void, PortalConnection>({
    run: () => api.finish(),
    done: () => 'Connected to the portal',
    onDone: (made) => client.setQueryData(queryKey, made),
    onProblem: (error) => setProblem(describeError(error)),
  })
  useEffect(() => {
    if (isRead.current) return
    isRead.current = true
    if (!found.isAnswered && found.problem === undefined) return
    window.history.replaceState(window.history.state, '', found.address)
    if (found.isAnswered) mutate()
  }, [found, mutate])
  return { problem, isPending }
}

function Finishing() {
  return (
    <>
      <Text c="dimmed">Connecting…</Text>
      <LoadingLines lines={2} />
    </>
  )
}

/** Only there the cookie of the connection meets the browser that comes back. */
const isAtPublicAddress = ({ public_url: url }: PortalConnection): boolean =>
  url !== null && new URL(url).host === window.location.host

function State({ connection, api }: { connection: PortalConnection; api: PortalConnectionApi }) {
  const { state, obstacle, public_url: url, issuer } = connection
  if (state === 'environment')
    return (
      <Text c="dimmed">
        People sign in through <Code>{issuer}</Code>, which <Code>OIDC_ISSUER</Code> sets. To connect a portal here,
        remove that setting and restart the service.
      </Text>
    )
  if (state !== 'none') return <Connected connection={connection} api={api} />
  if (obstacle !== null)
    return <Text c="dimmed">{obstacle}. Set it to the https address of this service, and restart the service.</Text>
  if (url !== null && !isAtPublicAddress(connection))
    return (
      <Text c="dimmed">
        A portal can be connected at the public address of this service only:{' '}
        <Anchor href={`${url}${window.location.pathname}${window.location.search}`}>open this page there</Anchor>.
      </Text>
    )
  return (
    <Text c="dimmed" maw={560}>
      Let people sign in with their account at the portal of your Hearth Sites: with one click when they are signed in
      there already. Passwords and passkeys here keep working.
    </Text>
  )
}

const standings = {
  connected: { tone: 'good', text: 'Connected' },
  removed: { tone: 'bad', text: 'Removed at the portal' },
  moved: { tone: 'bad', text: 'Address has changed' },
  unreachable: { tone: 'warn', text: 'Portal not reached' },
} as const

const advice: Readonly<Record<keyof typeof standings, ReactNode>> = {
  connected: undefined,
  removed:
    'The portal does not know this service any more, so nobody signs in through it. Disconnect, and connect again.',
  moved:
    'PUBLIC_URL has changed since, and the portal sends people to the earlier address. Disconnect, and connect again.',
  unreachable: 'The portal does not answer right now, so nobody signs in through it until it does.',
}

type Standing = PortalConnection & { state: keyof typeof standings }

function Connected({ connection, api }: { connection: PortalConnection; api: PortalConnectionApi }) {
  const [isAsking, setAsking] = useState(false)
  const { state, issuer } = connection as Standing
  const { tone, text } = standings[state]
  return (
    <>
      {advice[state] !== undefined && (
        <Alert color={tone === 'bad' ? 'red' : 'yellow'} icon={<IconAlertTriangle size={18} aria-hidden />}>
          {advice[state]}
        </Alert>
      )}
      <dl className="hearth-facts" data-start>
        <Fact name="Status">
          <StatusBadge tone={tone}>{text}</StatusBadge>
        </Fact>
        <Fact name="Portal">
          <Anchor href={issuer ?? ''}>{issuer}</Anchor>
        </Fact>
        <Fact name="May sign in">{groupsText(connection.allowed_groups)}</Fact>
        {connection.admin_groups.length > 0 && <Fact name="Administrators">{groupsText(connection.admin_groups)}</Fact>}
        <Fact name="Connected">
          <RelativeTime value={connection.connected_at} /> by {connection.connected_by}
        </Fact>
      </dl>
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlugConnectedX size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          Disconnect
        </Button>
      </Group>
      <ConfirmDelete<{ is_removed_there: boolean }>
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Disconnect from the portal?"
        losses={['The button on the sign-in page', 'This service in the portal’s list of applications']}
        verb="Disconnect"
        action={{
          run: () => api.disconnect(),
          done: ({ is_removed_there: isRemoved }) =>
            isRemoved
              ? 'Disconnected'
              : 'Disconnected here. The portal did not answer: delete this service in its list of applications, too.',
          renew: [queryKey],
        }}
      />
    </>
  )
}

function groupsText(names: readonly string[]): string {
  if (names.includes('*')) return 'Everybody at the portal'
  return names.length === 0 ? 'No group' : names.join(', ')
}
