import { ErrorState, LoadingLines, Section } from '@hearth/ui'
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
      {status.data === undefined && status.error === null && <LoadingLines lines={2} />}
      {status.data === undefined && status.error !== null && (
        <ErrorState error={status.error} onRetry={() => void status.refetch()} />
      )}
      {status.data !== undefined && (
        <div className="filter-row">
          <FilterBadge status={status.data} />
          <PauseControl blocking={status.data.blocking} size="xs" />
        </div>
      )}
      {stats.data !== undefined && (
        <dl className="filter-figures">
          <div>
            <dt>Queries in 24 hours</dt>
            <dd>{stats.data.total_queries.toLocaleString('en')}</dd>
          </div>
          <div>
            <dt>Blocked</dt>
            <dd>
              {stats.data.blocked_queries.toLocaleString('en')}{' '}
              <small className="hearth-dimmed">{stats.data.block_percentage} %</small>
            </dd>
          </div>
          <div>
            <dt>Names on the lists</dt>
            <dd>{stats.data.blocklist_size.toLocaleString('en')}</dd>
          </div>
        </dl>
      )}
    </Section>
  )
}
