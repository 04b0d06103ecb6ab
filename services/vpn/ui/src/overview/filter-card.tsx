import { Fact, QueryState, Section } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { keys } from '../api.ts'
import { FilterBadge, PauseControl } from '../dns/filter-state.tsx'
import { readStats, readStatus } from '../dns/read-dns.ts'

/** The filter in a few figures, with the way to pause it. */
export function FilterCard() {
  const status = useQuery({ queryKey: keys.dnsStatus, queryFn: readStatus, refetchInterval: 15_000 })
  const stats = useQuery({
    queryKey: [...keys.dnsStats, 24],
    queryFn: () => readStats(24),
    refetchInterval: 30_000,
  })
  return (
    <Section
      title="DNS filter"
      actions={
        <Link href="/dns" className="hearth-link">
          Statistics
        </Link>
      }
    >
      <QueryState query={status} lines={2} />
      {status.data !== undefined && (
        <div className="filter-row">
          <FilterBadge status={status.data} />
          <PauseControl blocking={status.data.blocking} size="xs" />
        </div>
      )}
      {stats.data !== undefined && (
        <dl className="filter-figures">
          <Fact name="Queries in 24 hours">{stats.data.total_queries.toLocaleString('en')}</Fact>
          <Fact name="Blocked">
            {stats.data.blocked_queries.toLocaleString('en')}{' '}
            <small className="hearth-dimmed">{stats.data.block_percentage} %</small>
          </Fact>
          <Fact name="Blocked names">{stats.data.blocklist_size.toLocaleString('en')}</Fact>
        </dl>
      )}
    </Section>
  )
}
