import { SegmentedControl } from '@mantine/core'
import {
  EmptyState,
  formatCount,
  QueryState,
  RelativeTime,
  Section,
  Tile,
  TimeChart,
  type TopEntry,
  TopList,
  useSession,
} from '@hearth/ui'
import { IconChartBar } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { type DnsStats, keys, readStats } from '../../api.ts'
import { useQuestion } from '../explain/use-question.ts'
import { bucketTime, readPeriod, shortCount, statsPeriods, statsSentence } from './stats-words.ts'

/** Statistics of the last hours or days: queries, and how many of them were blocked. */
export function Statistics() {
  const [params, setParams] = useSearchParams()
  const hours = readPeriod(params.get('hours'))
  const stats = useQuery({
    queryKey: [...keys.dnsStats, hours],
    queryFn: () => readStats(hours),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })
  const choose = (value: string) => setParams((present) => withPeriod(present, value), { replace: true })
  return (
    <div className="hearth-stack" data-stale={stats.isPlaceholderData || undefined}>
      <SegmentedControl
        className="period-choice"
        aria-label="Time"
        value={String(hours)}
        onChange={choose}
        data={statsPeriods.map((period) => ({ value: String(period.hours), label: period.label }))}
      />
      <QueryState query={stats} lines={6} />
      {stats.data !== undefined && <Figures stats={stats.data} />}
    </div>
  )
}

function withPeriod(present: URLSearchParams, value: string): URLSearchParams {
  const next = new URLSearchParams(present)
  if (value === '24') next.delete('hours')
  else next.set('hours', value)
  return next
}

function Figures({ stats }: { stats: DnsStats }) {
  return (
    <>
      <div className="hearth-tiles">
        <Tile label="Queries" value={stats.total_queries.toLocaleString('en')} note={domainsNote(stats)} />
        <Tile
          label="Blocked"
          value={stats.blocked_queries.toLocaleString('en')}
          note={`${stats.block_percentage} % of all`}
        />
        <Tile
          label="From the cache"
          value={`${stats.cache_hit_percentage} %`}
          note={stats.total_queries === 0 ? 'no answers yet' : `${figure(stats.avg_response_ms)} ms on average`}
        />
        <Tile
          label="Blocked names"
          value={stats.blocklist_size.toLocaleString('en')}
          note={
            stats.blocklist_updated_at === null ? (
              <Link href="/dns/lists" className="hearth-link">
                none downloaded yet
              </Link>
            ) : (
              <>
                changed <RelativeTime value={stats.blocklist_updated_at} />
              </>
            )
          }
        />
      </div>
      <Chart stats={stats} />
      {stats.total_queries > 0 && <Tops stats={stats} />}
    </>
  )
}

const domainsNote = ({ unique_domains: domains, unique_clients: clients }: DnsStats): string =>
  `${formatCount(domains, 'name')}, ${formatCount(clients, 'peer')}`

const figure = (milliseconds: number): string =>
  milliseconds < 10 ? milliseconds.toFixed(1) : String(Math.round(milliseconds))

function Chart({ stats }: { stats: DnsStats }) {
  const { series, period_hours: hours } = stats
  return (
    <Section title="Queries over time">
      {stats.total_queries === 0 ? (
        <EmptyState icon={IconChartBar} title={stats.reason ?? 'No queries in this time'}>
          Figures appear as soon as devices query this resolver.
        </EmptyState>
      ) : (
        <TimeChart
          title="Queries over time"
          summary={statsSentence(stats)}
          times={series.map(({ time }) => time)}
          series={[
            { tone: 'bad', name: 'Blocked', values: series.map(({ blocked }) => blocked) },
            { tone: 'quiet', name: 'Allowed', values: series.map(({ total, blocked }) => total - blocked) },
          ]}
          isUtc={hours > 168}
          format={shortCount}
          formatTime={(time) => bucketTime(time, hours)}
        />
      )}
    </Section>
  )
}

function Tops({ stats }: { stats: DnsStats }) {
  const { isAdmin } = useSession()
  const types = Object.entries(stats.query_types).toSorted(([, one], [, other]) => other - one)
  const typeList = (
    <Top
      title="Query types"
      entries={types
        .slice(0, 10)
        .map(([type, count]) => ({ key: type, name: type, count, note: shareOf(count, stats) }))}
      empty="None in this time."
    />
  )
  if (!isAdmin) return <div className="top-columns">{typeList}</div>
  return (
    <div className="top-columns">
      <Top title="Most blocked" entries={named(stats.top_blocked)} empty="Nothing was blocked." />
      <Top title="Most queried" entries={named(stats.top_domains)} empty="No queries." />
      <Top
        title="Busiest peers"
        entries={stats.top_clients.map(({ client, total, blocked }) => ({
          key: client ?? '',
          name: <ClientLink client={client} />,
          count: total,
          note: `${blocked.toLocaleString('en')} blocked`,
        }))}
        empty="No queries."
      />
      {typeList}
    </div>
  )
}

function Top({ title, entries, empty }: { title: string; entries: readonly TopEntry[]; empty: string }) {
  return (
    <Section title={title}>
      <TopList label={title} entries={entries} empty={empty} />
    </Section>
  )
}

const named = (domains: DnsStats['top_domains']) =>
  domains.map(({ domain, count }) => ({ key: domain, name: <DomainLink domain={domain} />, count }))

const shareOf = (count: number, { total_queries: total }: DnsStats): string =>
  `${((count / Math.max(1, total)) * 100).toFixed(1)} %`

function DomainLink({ domain }: { domain: string }) {
  const { explain } = useQuestion()
  return (
    <button type="button" className="link-button" onClick={() => explain({ domain, client: '' })}>
      {domain}
    </button>
  )
}

function ClientLink({ client }: { client: string | null }) {
  if (client === null) return <span className="hearth-dimmed">no peer</span>
  return (
    <Link href={`/dns/log?client=${encodeURIComponent(client)}`} className="hearth-link">
      {client}
    </Link>
  )
}
