import type { DnsQuery } from '../../api.ts'
import { ActionIcon, Button, type ButtonProps, Menu } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { formatTimestamp, StatusBadge, useNow } from '@hearth/ui'
import { IconBan, IconCheck, IconHelpCircle, IconChevronDown, IconPencil } from '@tabler/icons-react'
import { memo, useState } from 'react'
import { shortReason } from '../explain/reason-words.ts'
import { deciderOf, queryTime } from './log-query.ts'
import type { RuleRequest } from '../rules/use-rule-actions.ts'

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
      onClick={() => actions.explain({ domain: query.domain, client: query.client ?? '' })}
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

/** Actions of a row of the log. */
interface LogActions {
  make(rule: RuleRequest): void
  edit(rule: RuleRequest): void
  explain(question: { domain: string; client: string }): void
}

/** Block or allow from a row, for its peer or for everyone. The menu is made when it is first opened: there are many rows. */
function RowActions({ query, actions }: { query: DnsQuery; actions: LogActions }) {
  const [wasOpened, setOpened] = useState(false)
  const action = query.status === 'blocked' ? 'allow' : 'block'
  const verb = action === 'allow' ? 'Allow' : 'Block'
  const label = `${verb} ${query.domain}`
  if (!wasOpened) return <Trigger verb={verb} aria-label={label} aria-haspopup="menu" onClick={() => setOpened(true)} />
  const { domain, client } = query
  const Icon = action === 'allow' ? IconCheck : IconBan
  const icon = <Icon size={16} aria-hidden />
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>
        <Trigger verb={verb} aria-label={label} />
      </Menu.Target>
      <Menu.Dropdown>
        {client !== null && (
          <Menu.Item leftSection={icon} onClick={() => actions.make({ action, domain, client })}>
            {verb} for {client}
          </Menu.Item>
        )}
        <Menu.Item leftSection={icon} onClick={() => actions.make({ action, domain, client: null })}>
          {verb} for everyone
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={() => actions.edit({ action, domain, client })}
        >
          {verb} with a rule you write…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconHelpCircle size={16} aria-hidden />}
          onClick={() => actions.explain({ domain, client: client ?? '' })}
        >
          Why was it {query.status}?
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Trigger({ verb, ...rest }: { verb: string } & ButtonProps & React.ComponentPropsWithRef<'button'>) {
  return (
    <Button {...rest} variant="default" size="compact-sm" rightSection={<IconChevronDown size={12} aria-hidden />}>
      {verb}
    </Button>
  )
}
