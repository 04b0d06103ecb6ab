import { DevicePauses } from '../dns/device-pauses.tsx'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { WhyForm } from '../dns/explain/explain-drawer.tsx'
import { Statistics } from '../dns/stats/statistics.tsx'
import { formatCount, formatDuration, QueryState, Section, StatusBadge, useNow } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { type DnsStatus, keys, readStatus } from '../api.ts'

/** The DNS filter at a glance: what it blocks, why, and how the resolver does. */
export function DnsPage() {
  return (
    <DnsFrame>
      <div className="hearth-stack">
        <WhyForm />
        <DevicePauses />
        <Statistics />
        <ResolverCard />
      </div>
    </DnsFrame>
  )
}

/** Card of the resolver: its addresses, upstreams and their response times. */
function ResolverCard() {
  const status = useQuery({ queryKey: keys.dnsStatus, queryFn: readStatus })
  return (
    <Section title="Resolver">
      <QueryState query={status} lines={4} />
      {status.data !== undefined && <Resolver status={status.data} />}
    </Section>
  )
}

function Resolver({ status }: { status: DnsStatus }) {
  return (
    <div className="hearth-stack">
      {status.unavailable !== null && (
        <p className="resolver-problem">
          <StatusBadge tone="bad">Not answering</StatusBadge> {status.unavailable}
        </p>
      )}
      <div className="resolver-columns">
        <Upstreams upstreams={status.upstreams} />
        <Listeners listeners={status.listeners} />
      </div>
      <Engine status={status} />
    </div>
  )
}

function Upstreams({ upstreams }: Pick<DnsStatus, 'upstreams'>) {
  return (
    <section>
      <h3 className="drawer-heading">Upstream servers</h3>
      <ul className="health-list">
        {upstreams.map((server) => (
          <li key={server.upstream}>
            <span className="hearth-mono">{server.upstream}</span>
            {server.queries === 0 ? (
              <StatusBadge tone="quiet">Not queried yet</StatusBadge>
            ) : (
              <StatusBadge tone={server.healthy ? 'good' : 'bad'}>{server.healthy ? 'Answers' : 'Fails'}</StatusBadge>
            )}
            <small className="hearth-dimmed">{serverText(server)}</small>
          </li>
        ))}
        {upstreams.length === 0 && <li className="hearth-dimmed">None yet</li>}
      </ul>
    </section>
  )
}

function serverText(server: DnsStatus['upstreams'][number]): string {
  const parts = [
    server.average_ms === null ? '' : `${Math.round(server.average_ms)} ms on average`,
    `${formatCount(server.queries, 'query', 'queries')} sent`,
    server.failures === 0 ? '' : `${server.failures} failed`,
    server.last_error ?? '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function Listeners({ listeners }: Pick<DnsStatus, 'listeners'>) {
  return (
    <section>
      <h3 className="drawer-heading">Listening addresses</h3>
      <ul className="health-list">
        {listeners.map(({ address, port, error }) => (
          <li key={`${address} ${port}`}>
            <span className="hearth-mono">
              {address.includes(':') ? `[${address}]` : address}:{port}
            </span>
            <StatusBadge tone={error === null ? 'good' : 'bad'}>
              {error === null ? 'Listening' : 'Not listening'}
            </StatusBadge>
            {error !== null && <small className="list-error">{error}</small>}
          </li>
        ))}
        {listeners.length === 0 && <li className="hearth-dimmed">None: no interface runs</li>}
      </ul>
    </section>
  )
}

/** Engine in use, and the reason when it is not the fast one. */
function engineText({ engine, engine_reason: reason }: Pick<DnsStatus, 'engine' | 'engine_reason'>): string {
  if (engine === null) return ''
  return engine === 'ffi' ? 'fast engine' : `plain engine (${reason})`
}

function Engine({ status }: { status: DnsStatus }) {
  const now = useNow()
  const since = status.started_at === null ? undefined : (now.getTime() - Date.parse(status.started_at)) / 1000
  const facts = [
    engineText(status),
    since === undefined ? '' : `running for ${formatDuration(since)}`,
    status.restarts === 0 ? '' : `started again ${status.restarts === 1 ? 'once' : `${status.restarts} times`}`,
    `${formatCount(status.cache_entries, 'answer')} kept`,
    status.log_entries_lost === 0 ? '' : `${formatCount(status.log_entries_lost, 'log entry', 'log entries')} lost`,
  ].filter((fact) => fact !== '')
  return <p className="hearth-dimmed resolver-foot">{facts.join(' · ')}</p>
}
