import type { TableState } from '@hearth/ui'
import { formatDay, formatTime, withSeconds } from '@hearth/ui/format-time'
import type { DnsQuery, LogQuery } from '../../api.ts'

/** Queries read at once. */
export const queriesPerPage = 100

/** Filter of the log; the names are those in the URL. */
export const logFilters = ['client', 'result', 'type', 'time', 'from', 'to'] as const

/** Statuses and reasons of queries. */
export const logResults = [
  { value: '', label: 'Any result' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'allowed', label: 'Allowed' },
  { value: 'rule', label: 'Decided by a rule' },
  { value: 'list', label: 'Decided by a list' },
  { value: 'special', label: 'Filter bypass' },
  { value: 'private_answer', label: 'Private answer' },
  { value: 'local', label: 'Local name' },
  { value: 'address', label: 'Listed address' },
  { value: 'off', label: 'Filter off' },
] as const

/** Stretches of time up to now, by their hours; `own` is between two times. */
export const logTimes = [
  { value: '', label: 'Any time' },
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: 'own', label: 'From … until …' },
] as const

/** Query types that are used often; others can be typed into the address. */
export const queryTypes = [
  'A',
  'AAAA',
  'HTTPS',
  'CNAME',
  'MX',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'SVCB',
  'TXT',
  'ANY',
] as const

/** The filters as the API wants them; only what is set is sent. */
export function toLogQuery(state: Pick<TableState, 'search' | 'filters'>, now: Date): LogQuery {
  const { client, result, type, time, from, to } = state.filters
  return {
    limit: queriesPerPage,
    ...(state.search === '' ? {} : { domain: state.search }),
    ...(client ? { client } : {}),
    ...resultMembers(result),
    ...(type ? { type } : {}),
    ...(time === 'own' ? { ...timeBound('start', from), ...timeBound('end', to) } : since(time, now)),
  }
}

/** True when the list shows less than everything. */
export function isNarrowed(state: Pick<TableState, 'search' | 'filters'>): boolean {
  return state.search !== '' || Object.values(state.filters).some((value) => value !== '')
}

/** Returns the time of a query, without the date when it was on the same day as `now`. */
export function queryTime(timestamp: string, now: Date): string {
  const at = new Date(timestamp)
  const time = formatTime(at, withSeconds)
  if (at.toDateString() === now.toDateString()) return time
  return `${formatDay(at)} ${time}`
}

/** Returns what decided a query, in a few words. */
export function deciderOf(query: Pick<DnsQuery, 'rule' | 'list' | 'cname' | 'modifiers'>): string {
  const modifiers = query.modifiers.map((modifier) => `$${modifier}`).join(', ')
  const list = [query.list ?? '', modifiers].filter((part) => part !== '').join(' ')
  const by = query.rule === null ? list : `rule ${query.rule}`
  return query.cname ? ['for a name it points to', by].filter((part) => part !== '').join(', ') : by
}

/** URL of the queries that pass the filter, as a file. */
export function exportAddress({ limit: _limit, ...filter }: LogQuery): string {
  const text = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)])).toString()
  return `/api/dns/queries/export${text === '' ? '' : `?${text}`}`
}

function resultMembers(result: string | undefined): Pick<LogQuery, 'status' | 'reason'> {
  const known = logResults.find(({ value }) => value === result)?.value ?? ''
  if (known === '') return {}
  return known === 'blocked' || known === 'allowed' ? { status: known } : { reason: known }
}

function since(hours: string | undefined, now: Date): Pick<LogQuery, 'start'> {
  const known = logTimes.some(({ value }) => value === hours) && Number(hours) > 0
  return known ? { start: new Date(now.getTime() - Number(hours) * 3_600_000).toISOString() } : {}
}

function timeBound(member: 'start' | 'end', local: string | undefined): Partial<Pick<LogQuery, 'start' | 'end'>> {
  if (local === undefined || local === '') return {}
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? {} : { [member]: at.toISOString() }
}
