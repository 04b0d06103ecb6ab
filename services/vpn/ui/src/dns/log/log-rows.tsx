import type { DnsQuery } from '../../api.ts'
import { ActionIcon } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { formatTimestamp, StatusBadge, useNow } from '@hearth/ui'
import { IconBan, IconCheck, IconHelpCircle } from '@tabler/icons-react'
import { memo } from 'react'
import { shortReason } from '../explain/reason-words.ts'
import { deciderOf, queryTime } from './log-query.ts'
import { type LogActions, RowActions } from './row-actions.tsx'

interface RowProps {
  query: DnsQuery
  /** The day it is, so that older queries show their date. */
  today: string
  actions: LogActions
}

/** The queries themselves: a table, or on a phone two lines each. */
export function LogRows({ rows, actions }: { rows: readonly DnsQuery[]; actions: LogActions }) {
  const narrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const today = useNow().toDateString()
  if (narrow)
    return (
      <ul className="log-cards" aria-label="Queries">
        {rows.map((query) => (
          <LogCard key={query.id} query={query} today={today} actions={actions} />
        ))}
      </ul>
    )
  return (
    <div className="log-scroll">
      <table className="log-table" aria-label="Queries">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Peer</th>
            <th scope="col">Domain</th>
            <th scope="col">Type</th>
            <th scope="col">Result</th>
            <th scope="col" data-numeric>
              Took
            </th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((query) => (
            <LogRow key={query.id} query={query} today={today} actions={actions} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const LogRow = memo(({ query, today, actions }: RowProps) => {
  const decider = deciderOf(query)
  return (
    <tr data-status={query.status}>
      <td className="log-time">
        <time dateTime={query.timestamp} title={formatTimestamp(new Date(query.timestamp))}>
          {queryTime(query.timestamp, new Date(today))}
        </time>
      </td>
      <td className="log-client">{clientOf(query)}</td>
      <td className="log-domain">
        {query.domain}
        {decider !== '' && <small>{decider}</small>}
      </td>
      <td>{query.type}</td>
      <td>
        <Result query={query} />
      </td>
      <td data-numeric>{took(query)}</td>
      <td className="log-actions">
        <Why query={query} actions={actions} />
        <RowActions query={query} actions={actions} />
      </td>
    </tr>
  )
})
LogRow.displayName = 'LogRow'

const LogCard = memo(({ query, today, actions }: RowProps) => {
  const decider = deciderOf(query)
  return (
    <li data-status={query.status}>
      <span className="log-domain" title={query.domain}>
        {query.domain}
      </span>
      <Result query={query} />
      <span className="log-meta">
        {clientOf(query)} · {query.type} ·{' '}
        <time dateTime={query.timestamp}>{queryTime(query.timestamp, new Date(today))}</time>
        {decider !== '' && ` · ${decider}`}
      </span>
      <span className="log-actions">
        <Why query={query} actions={actions} />
        <RowActions query={query} actions={actions} />
      </span>
    </li>
  )
})
LogCard.displayName = 'LogCard'

function Result({ query }: { query: DnsQuery }) {
  const isBlocked = query.status === 'blocked'
  const rcode = query.rcode === 'NOERROR' || isBlocked ? '' : query.rcode
  const reason = deciderOf(query) === '' ? shortReason(query.reason) : ''
  const note = [rcode, reason].filter((part) => part !== '').join(', ')
  return (
    <span className="log-result">
      <StatusBadge
        tone={isBlocked ? 'bad' : rcode === 'SERVFAIL' ? 'warn' : 'quiet'}
        icon={isBlocked ? IconBan : IconCheck}
      >
        {isBlocked ? 'Blocked' : 'Allowed'}
      </StatusBadge>
      {note !== '' && <small>{note}</small>}
    </span>
  )
}

function Why({ query, actions }: { query: DnsQuery; actions: LogActions }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={`Why was ${query.domain} ${query.status}?`}
      title="Why?"
      onClick={() => actions.ask({ domain: query.domain, client: query.client ?? '' })}
    >
      <IconHelpCircle size={18} aria-hidden />
    </ActionIcon>
  )
}

const clientOf = ({ client, client_ip: address }: DnsQuery): string => client ?? address ?? 'somebody'

function took({ cached, status, duration_ms: ms }: DnsQuery): string {
  if (cached) return 'cache'
  if (status === 'blocked') return '–'
  return ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`
}
