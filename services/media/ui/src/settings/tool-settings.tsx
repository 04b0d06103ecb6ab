import { Button, Group, Stack, Text } from '@mantine/core'
import {
  answer,
  DataTable,
  describeError,
  ErrorState,
  Problem,
  RelativeTime,
  Section,
  StatusBadge,
  useAction,
  type Column,
} from '@hearth/ui'
import { IconArrowBackUp, IconBook2, IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { ActionButton } from '../buttons.tsx'
import { api, keys, readSession, type Component, type Updates } from '../api.ts'
import { Waiting } from '../progress/waiting.tsx'
import { HostCard } from '../statistics/host-card.tsx'

/** Versions of the tools, the host, and the service itself. */
export function ToolSettings() {
  return (
    <>
      <ToolsCard />
      <HostCard />
      <AboutCard />
    </>
  )
}

/** In the order they are shown in. */
const order = ['ytdlp', 'ytdlp_ejs', 'js_runtime', 'ffmpeg', 'wavesurfer', 'app'] as const

function ToolsCard() {
  const updates = useQuery({ queryKey: keys.updates, queryFn: () => answer(api.GET('/api/updates')) })
  return (
    <Section title="Tools">
      {updates.data === undefined && updates.error === null && <Waiting label="Checking for new versions" max={20} />}
      {updates.data === undefined && updates.error !== null && (
        <ErrorState error={updates.error} onRetry={() => void updates.refetch()} />
      )}
      {updates.data !== undefined && (
        <Stack gap="sm">
          <VersionTable updates={updates.data} />
          <Text size="sm" c="dimmed">
            Checked <RelativeTime value={updates.data.checked_at} />
            {!updates.data.complete && '; not every project answered'}. yt-dlp has to follow the platforms and is
            renewed here; the others come with the system.
          </Text>
          <YtDlp component={updates.data.components.ytdlp} />
        </Stack>
      )}
    </Section>
  )
}

const columns: readonly Column<Component>[] = [
  {
    key: 'program',
    header: 'Program',
    role: 'title',
    render: ({ label, url }) => (
      <a className="hearth-link" href={url} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    ),
  },
  { key: 'here', header: 'Here', render: ({ current }) => current ?? 'Missing' },
  { key: 'newest', header: 'Newest', render: ({ latest }) => latest ?? '–' },
  { key: 'state', header: 'State', render: (component) => <ComponentBadge component={component} /> },
]

function VersionTable({ updates }: { updates: Updates }) {
  const rows = order.flatMap((name) => updates.components[name] ?? [])
  return (
    <DataTable
      label="Versions"
      columns={columns}
      answer={{ rows, total: rows.length, error: null, retry: () => undefined }}
      rowKey={({ label }) => label}
      empty={null}
    />
  )
}

function ComponentBadge({ component }: { component: Component }) {
  if (component.current === null) return <StatusBadge tone="bad">Missing</StatusBadge>
  if (component.update_available) return <StatusBadge tone="accent">Newer one</StatusBadge>
  if (component.latest === null || component.stale) return <StatusBadge tone="quiet">Not known</StatusBadge>
  return <StatusBadge tone="good">Newest</StatusBadge>
}

/** An attempt that was made and came to nothing is a failure with a reason. */
async function succeeded(call: Promise<{ ok: boolean; message: string }>): Promise<{ message: string }> {
  const { ok, message } = await call
  if (!ok) throw new Error(message)
  return { message }
}

function YtDlp({ component }: { component: Component | undefined }) {
  const change = useAction<'/api/updates/ytdlp' | '/api/updates/ytdlp/revert'>({
    run: (path) => succeeded(answer(api.POST(path))),
    renew: [keys.updates],
    onProblem: () => undefined,
  })
  const isUpdating = change.isPending && change.variables === '/api/updates/ytdlp'
  const isReverting = change.isPending && !isUpdating
  const isNewer = component?.update_available === true
  return (
    <>
      <Problem text={change.error === null ? undefined : describeError(change.error)} />
      {isUpdating && <Waiting label="Fetching yt-dlp and trying it" />}
      {isReverting && <Waiting label="Going back" />}
      <Group gap="xs">
        <ActionButton
          icon={IconDownload}
          variant={isNewer ? 'filled' : 'default'}
          loading={isUpdating}
          disabled={isReverting}
          onClick={() => change.mutate('/api/updates/ytdlp')}
        >
          {isNewer ? `Update yt-dlp to ${component.latest}` : 'Fetch the newest yt-dlp'}
        </ActionButton>
        <ActionButton
          icon={IconArrowBackUp}
          loading={isReverting}
          disabled={isUpdating}
          onClick={() => change.mutate('/api/updates/ytdlp/revert')}
        >
          Go back to the one before
        </ActionButton>
      </Group>
    </>
  )
}

function AboutCard() {
  const session = useQuery({ queryKey: keys.session, queryFn: readSession })
  return (
    <Section title="About">
      <Stack gap="sm">
        <Text>
          Hearth Media {session.data?.version ?? ''} is free software under the MIT licence: use, change and share it,
          without warranty. It is not made or approved by the platforms.
        </Text>
        <Text c="dimmed">
          Download what you may. You are responsible for what you fetch and whom you share it with.
        </Text>
        <Group>
          <Button
            component="a"
            href="/docs"
            target="_blank"
            variant="default"
            leftSection={<IconBook2 size={16} aria-hidden />}
          >
            Description of the API
          </Button>
        </Group>
      </Stack>
    </Section>
  )
}
