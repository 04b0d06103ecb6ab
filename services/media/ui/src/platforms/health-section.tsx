import { Button, Text } from '@mantine/core'
import {
  DataTable,
  formatCount,
  RelativeTime,
  Section,
  StatusBadge,
  tableAnswer,
  type Column,
  type Tone,
} from '@hearth/ui'
import { Link } from 'wouter'
import type { PlatformHealth } from '../api.ts'
import { toIsoString } from '../jobs/job.ts'
import { PlatformName } from '../jobs/job-facts.tsx'
import { reasonText } from '../jobs/failure-help.ts'
import { usePlatforms, useTryNow } from './use-platforms.ts'

const states: Readonly<Record<PlatformHealth['state'], { text: string; tone: Tone }>> = {
  ok: { text: 'Works', tone: 'good' },
  degraded: { text: 'Often fails', tone: 'warn' },
  blocked: { text: 'Paused', tone: 'bad' },
  unknown: { text: 'Not used yet', tone: 'quiet' },
}

const columns: readonly Column<PlatformHealth>[] = [
  {
    key: 'platform',
    header: 'Platform',
    role: 'title',
    render: ({ platform }) => <PlatformName platform={platform} />,
  },
  {
    key: 'state',
    header: 'State',
    render: ({ state }) => <StatusBadge tone={states[state].tone}>{states[state].text}</StatusBadge>,
  },
  { key: 'recent', header: 'Last downloads', render: (health) => recentText(health) },
  {
    key: 'success',
    header: 'Last success',
    render: ({ last_completed_at: time }) => <RelativeTime value={time === null ? null : toIsoString(time)} />,
  },
  { key: 'advice', header: 'What helps', role: 'actions', render: (health) => <AdviceButton health={health} /> },
]

/** How downloads from each platform go. */
export function HealthSection() {
  const platforms = usePlatforms()
  return (
    <Section title="How it goes">
      <DataTable
        label="Health of the platforms"
        columns={columns}
        answer={tableAnswer(platforms, platforms.data)}
        rowKey={({ platform }) => platform}
        empty={null}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Counted are the last 20 downloads, without those that failed for what they are, such as removed ones. A platform
        that refuses this server is paused by itself: its downloads wait, and one is tried from time to time.
      </Text>
    </Section>
  )
}

function recentText({ completed, failed, reason }: PlatformHealth): string {
  if (completed + failed === 0) return 'None'
  if (failed === 0) return formatCount(completed, 'success', 'successes')
  const why = reason === null ? '' : ` (${reasonText(reason)})`
  return `${completed} of ${completed + failed} succeeded${why}`
}

function AdviceButton({ health: { platform, advice, pause } }: { health: PlatformHealth }) {
  const tryNow = useTryNow()
  if (advice === 'update_tool')
    return (
      <Button component={Link} href="/settings?tab=tools" size="xs" variant="default">
        Update yt-dlp
      </Button>
    )
  if (advice === 'cookies')
    return (
      <Button component={Link} href={`/settings?tab=cookies&platform=${platform}`} size="xs" variant="default">
        Add cookies
      </Button>
    )
  if (pause !== null)
    return (
      <Button
        size="xs"
        variant="default"
        loading={tryNow.isPending}
        disabled={pause.is_probing || pause.seconds_left === 0}
        onClick={() => tryNow.mutate(platform)}
      >
        Try now
      </Button>
    )
  return advice === 'check_network' ? 'Check the connection of this server' : null
}
