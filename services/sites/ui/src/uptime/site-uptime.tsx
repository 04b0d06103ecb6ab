import { Button, Stack, Text } from '@mantine/core'
import {
  answer,
  formatDuration,
  formatTimestamp,
  QueryState,
  RelativeTime,
  Section,
  Tile,
  TimeChart,
  useAction,
} from '@hearth/ui'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Schemas } from '../api.ts'
import { IncidentList } from './incident-list.tsx'
import { type SiteUptimeDetail, useSiteUptime } from './read-uptime.ts'
import { NameList } from './name-list.tsx'
import { RecentChecks, UpstreamList } from './recent-checks.tsx'
import { UptimeBar } from './uptime-bar.tsx'
import { FailureText, Since, UptimeBadge } from './uptime-state.tsx'
import { dayText, percentText } from './uptime-words.ts'

/** The checks of a site: its state in words, ninety days, incidents, and what the last checks said. */
export function SiteUptimeView({ id }: { id: number }) {
  const uptime = useSiteUptime(id)
  if (uptime.data === undefined) return <QueryState query={uptime} lines={6} />
  return (
    <Stack>
      <StateSection uptime={uptime.data} />
      <DaySection uptime={uptime.data} />
      <LatencySection uptime={uptime.data} />
      <IncidentList incidents={uptime.data.incidents} />
      <NameList names={uptime.data.names} unchecked={uptime.data.unchecked_names} />
      <UpstreamList upstreams={uptime.data.upstreams} />
      <RecentChecks checks={uptime.data.recent} />
    </Stack>
  )
}

function StateSection({ uptime }: { uptime: SiteUptimeDetail }) {
  const { state, since, failure, asked, off_reason: off, checked_at: checked, latency_ms: latency } = uptime
  const [result, setResult] = useState<Schemas['CheckResult']>()
  const check = useAction({
    run: () => answer(api.POST('/api/v1/sites/{id}/check', { params: { path: { id: uptime.site_id } } })),
    renew: [keys.uptime],
    onDone: (found: Schemas['CheckResult']) => setResult(found),
  })
  const checkNow = (
    <Button
      variant="default"
      size="xs"
      loading={check.isPending}
      leftSection={<IconPlayerPlay size={14} aria-hidden />}
      onClick={() => check.mutate(undefined)}
    >
      Check now
    </Button>
  )
  return (
    <Section title="State" actions={checkNow}>
      <Stack gap="sm">
        <Text component="div">
          <UptimeBadge state={state} /> <Since value={since} />
        </Text>
        {off !== null && <Text>{off} Its checks are set in the part “Checks” of the settings.</Text>}
        {failure !== null && <FailureText failure={failure} />}
        {failure === null && asked !== null && (
          <Text c="dimmed" className="uptime-reason">
            {asked}
            {checked !== null && latency !== null && (
              <>
                {' '}
                answered in {latency} ms, <RelativeTime value={checked} />
              </>
            )}
          </Text>
        )}
        {result !== undefined && (
          <output className="uptime-result">
            <b>Checked just now, not counted</b>
            <FailureText failure={result} />
          </output>
        )}
      </Stack>
    </Section>
  )
}

function DaySection({ uptime }: { uptime: SiteUptimeDetail }) {
  const { uptime: shares, days, site_name: name } = uptime
  const tiles = [
    ['Today', shares.today],
    ['7 days', shares.days_7],
    ['30 days', shares.days_30],
    ['90 days', shares.days_90],
  ] as const
  const unobserved = days.at(-1)?.unobserved_seconds ?? 0
  return (
    <Section title="Last 90 days">
      <Stack gap="sm">
        <div className="uptime-tiles">
          {tiles.map(([label, share]) => (
            <Tile key={label} label={label} value={percentText(share)} />
          ))}
        </div>
        <UptimeBar
          label={`Uptime of ${name}, 90 days`}
          days={days.map((day) => ({ share: day.uptime, text: dayText(day) }))}
        />
        <div className="uptime-ends">
          <span>90 days ago</span>
          <span>today</span>
        </div>
        <Text c="dimmed" size="sm">
          Days in UTC. Shares count observed time alone: maintenance, and the time in which this service did not run,
          are neither up nor down.
          {unobserved >= 60 && ` Of today ${formatDuration(unobserved)} were not observed.`}
        </Text>
      </Stack>
    </Section>
  )
}

/** How long the answers of the last two days took, by quarters of an hour. */
function LatencySection({ uptime: { points } }: { uptime: SiteUptimeDetail }) {
  const known = points.filter(({ latency_ms: latency }) => latency !== null)
  if (known.length < 2) return null
  const largest = Math.max(...known.map(({ latency_max_ms: latency }) => latency ?? 0))
  return (
    <Section title="How long answers take">
      <TimeChart
        title="How long answers take"
        shape="lines"
        summary={`Averages of 15 minutes of the last two days, and the slowest answers, at most ${largest} ms.`}
        times={points.map(({ at }) => at)}
        series={[
          { tone: 'accent', name: 'Average', values: points.map(({ latency_ms: latency }) => latency) },
          { tone: 'quiet', isDashed: true, name: 'Slowest', values: points.map((point) => point.latency_max_ms) },
        ]}
        format={(value) => `${Math.round(value * 10) / 10} ms`}
        formatTime={(at) => formatTimestamp(new Date(at))}
      />
    </Section>
  )
}
