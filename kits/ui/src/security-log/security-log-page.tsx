import { Button, Menu, NativeSelect } from '@mantine/core'
import { IconDownload, IconHistory, IconSearchOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Column, DataTable, tableAnswer } from '../data-table.tsx'
import { EmptyState, PageHeader } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { TableSearch } from '../table-controls.tsx'
import type { TableState } from '../table-state.ts'
import { describeMethod, describeTarget, kindNames, type SecurityEventRow, toneOf } from './security-events.ts'
import { eventsPerPage, exportAddress, type SecurityLogQuery, useSecurityLogState } from './security-log-query.ts'

interface SecurityLogProps {
  /** Path of the API, such as `/api/security-log`. */
  path: string
  /** Only what the signed-in user did is listed. */
  isOwn?: boolean
  /** Reads one page. */
  read: (query: SecurityLogQuery) => Promise<{ events: readonly SecurityEventRow[]; total: number }>
}

/** Sign-ins, refusals and changes of access, with a filter and a file of them. */
export function SecurityLogPage({ path, isOwn = false, read }: SecurityLogProps) {
  const { state, query } = useSecurityLogState()
  const log = useQuery({
    queryKey: ['security_log', query],
    queryFn: () => read(query),
    placeholderData: keepPreviousData,
    // No event tells that there are new entries.
    refetchOnMount: 'always',
  })
  const isNarrowed = query.search !== undefined || query.kind !== undefined
  return (
    <>
      <PageHeader
        title="Security log"
        description={
          isOwn ? 'Your sign-ins, and what you changed about them.' : 'Sign-ins, refusals, and changes of access.'
        }
        actions={<ExportMenu path={path} query={query} />}
      />
      <Filters state={state} isOwn={isOwn} />
      <DataTable
        label="Security log"
        columns={columns}
        rowKey={(event) => event.id}
        answer={tableAnswer(log, log.data?.events, log.data?.total)}
        state={state}
        pageSize={eventsPerPage}
        empty={isNarrowed ? <NothingFound state={state} /> : <NothingYet />}
      />
    </>
  )
}

function ExportMenu({ path, query }: { path: string; query: SecurityLogQuery }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={exportAddress(path, 'csv', query)} download>
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item component="a" href={exportAddress(path, 'jsonl', query)} download>
          JSON lines, for programs
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Filters({ state, isOwn }: { state: TableState; isOwn: boolean }) {
  return (
    <search className="hearth-toolbar">
      <TableSearch state={state} label={isOwn ? 'Search addresses' : 'Search users and addresses'} />
      <NativeSelect
        aria-label="Event"
        value={state.filters['kind'] ?? ''}
        onChange={(event) => state.change({ filter: { kind: event.currentTarget.value } })}
        data={[
          { value: '', label: 'Any event' },
          ...Object.entries(kindNames).map(([value, label]) => ({ value, label })),
        ]}
      />
    </search>
  )
}

function NothingFound({ state }: { state: TableState }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No event matches"
      action={
        <Button variant="default" onClick={() => state.change({ search: '', filter: { kind: '' } })}>
          Show all events
        </Button>
      }
    >
      Search looks at users, at what was changed, and at addresses.
    </EmptyState>
  )
}

function NothingYet() {
  return (
    <EmptyState icon={IconHistory} title="No events yet">
      Sign-ins and changes of access are listed here.
    </EmptyState>
  )
}

const columns: Column<SecurityEventRow>[] = [
  {
    key: 'kind',
    header: 'Event',
    role: 'title',
    render: (event) => <StatusBadge tone={toneOf(event)}>{kindNames[event.kind]}</StatusBadge>,
  },
  { key: 'at', header: 'Time', render: ({ at }) => <RelativeTime value={at} /> },
  { key: 'user', header: 'User', render: userOf },
  { key: 'about', header: 'About', render: (event) => describeTarget(event) || '–' },
  { key: 'how', header: 'How', render: (event) => describeMethod(event) || '–' },
  { key: 'from', header: 'From', render: originOf },
]

function userOf({ username, kind, method }: SecurityEventRow) {
  if (username !== null) return <span className="hearth-name">{username}</span>
  if (method === 'command_line') return <span className="hearth-dimmed">Command line</span>
  return <span className="hearth-dimmed">{kind === 'sign_in_failed' ? 'Unknown name' : 'Anyone'}</span>
}

function originOf({ address, device }: SecurityEventRow) {
  if (address === null) return '–'
  return (
    <span className="hearth-origin">
      <span className="hearth-mono">{address}</span>
      {device !== null && <small className="hearth-dimmed">{device}</small>}
    </span>
  )
}
