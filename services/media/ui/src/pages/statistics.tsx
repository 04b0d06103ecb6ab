import { Text } from '@mantine/core'
import {
  answer,
  EmptyState,
  formatBytes,
  formatCount,
  formatDay,
  formatDuration,
  PageHeader,
  QueryState,
  RelativeTime,
  Section,
  Tile,
} from '@hearth/ui'
import { IconChartBar, IconRestore } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { CSSProperties } from 'react'
import { api, keys, type Platform, type Statistics, type TempoCluster } from '../api.ts'
import { DeleteButton } from '../buttons.tsx'
import { platformNames } from '../jobs/job-labels.ts'
import { PlatformIcon } from '../jobs/platform-icon.tsx'
import { BarChart, type Bar } from '../statistics/bar-chart.tsx'
import { filledClusters } from '../statistics/chart-scale.ts'
import { HostCard } from '../statistics/host-card.tsx'
import '../statistics/statistics.css'

/** Statistics of downloads, and the state of the host. */
export function StatisticsPage() {
  const figures = useQuery({ queryKey: keys.statistics, queryFn: () => answer(api.GET('/api/stats')) })
  const since = figures.data?.since ?? null
  return (
    <>
      <PageHeader
        title="Statistics"
        description={
          since === null ? (
            'Finished downloads of all time.'
          ) : (
            <>
              Finished downloads, counted since <RelativeTime value={since} />.
            </>
          )
        }
        actions={
          <DeleteButton
            icon={IconRestore}
            variant="default"
            title="Count anew from now on?"
            losses={['The figures of this page begin at zero; downloads and their files stay']}
            verb="Count anew"
            action={{ run: () => answer(api.POST('/api/stats/reset')), renew: [keys.statistics, keys.tempi] }}
          >
            Count anew
          </DeleteButton>
        }
      />
      <div className="hearth-stack">
        <QueryState query={figures} lines={8} />
        {figures.data !== undefined && <Figures figures={figures.data} />}
        <div className="statistics-columns">
          <Tempi />
          <HostCard />
        </div>
      </div>
    </>
  )
}

function Figures({ figures }: { figures: Statistics }) {
  if (figures.total_jobs === 0)
    return (
      <EmptyState icon={IconChartBar} title="No statistics yet">
        The figures grow with every download that is finished.
      </EmptyState>
    )
  const tiles = [
    ['Downloads', figures.total_jobs.toLocaleString('en')],
    ['Playing time', formatDuration(figures.total_minutes * 60)],
    ['Size', formatBytes(figures.total_bytes)],
    ['Separated into stems', formatDuration(figures.total_stem_minutes * 60)],
  ] as const
  return (
    <>
      <div className="hearth-tiles">
        {tiles.map(([label, value]) => (
          <Tile key={label} label={label} value={value} />
        ))}
      </div>
      <div className="statistics-columns">
        <Section title="The last 30 days">
          <Days days={figures.by_day} />
        </Section>
        <Section title="By platform">
          <PlatformList platforms={figures.by_platform} />
        </Section>
      </div>
    </>
  )
}

const isPlatform = (name: string): name is Platform => name in platformNames

/** Downloads by platform, most jobs first, with a bar for the share. */
function PlatformList({ platforms }: { platforms: Statistics['by_platform'] }) {
  const sorted = platforms.toSorted((one, other) => other.jobs - one.jobs)
  const max = Math.max(1, ...sorted.map(({ jobs }) => jobs))
  return (
    <ul className="plain-list shares">
      {sorted.map(({ platform, jobs, failed, bytes }) => (
        <li key={platform}>
          <span className="share-name">
            <PlatformIcon platform={isPlatform(platform) ? platform : undefined} size={18} />
            {isPlatform(platform) ? platformNames[platform] : platform}
          </span>
          <b>{jobs.toLocaleString('en')}</b>
          <span className="share-bar" style={{ '--at': jobs / max } as CSSProperties} />
          <span className="gauge-note">
            {formatBytes(bytes)}
            {failed > 0 && `, ${formatCount(failed, 'failure')}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Days({ days }: { days: Statistics['by_day'] }) {
  const total = days.reduce((sum, { jobs }) => sum + jobs, 0)
  const bars = days.map(({ day, jobs, bytes }): Bar => {
    const date = new Date(`${day}T00:00:00Z`)
    const text = (month: 'short' | 'long') => formatDay(date, { month, timeZone: 'UTC' })
    return {
      key: day,
      label: text('short'),
      value: jobs,
      sentence: `${text('long')}: ${formatCount(jobs, 'download')}, ${formatBytes(bytes)}`,
    }
  })
  return (
    <BarChart
      title="Downloads by day"
      summary={`${formatCount(total, 'download')} in total`}
      bars={bars}
      labelEvery={7}
      noun="download"
    />
  )
}

function Tempi() {
  const tempi = useQuery({ queryKey: keys.tempi, queryFn: () => answer(api.GET('/api/stats/bpm-clusters')) })
  return (
    <Section title="Tempi">
      <QueryState query={tempi} lines={4} />
      {tempi.data !== undefined && <TempoChart clusters={tempi.data} />}
    </Section>
  )
}

function TempoChart({ clusters }: { clusters: readonly TempoCluster[] }) {
  const [first] = clusters
  if (first === undefined) return <Text c="dimmed">No audio with a steady beat yet.</Text>
  const bars = filledClusters(clusters).map(({ bpm, count }): Bar => ({
    key: String(bpm),
    label: String(bpm),
    value: count,
    sentence: `Around ${bpm} BPM: ${formatCount(count, 'sound')}`,
  }))
  return (
    <BarChart
      title="Audio files by tempo"
      summary={`Most often around ${first.bpm} BPM`}
      bars={bars}
      labelEvery={Math.max(1, Math.ceil(bars.length / 8))}
      noun="sound"
    />
  )
}
