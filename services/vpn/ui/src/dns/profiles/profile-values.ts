import type { DnsProfileDetail } from '../../api.ts'

type Rule = DnsProfileDetail['rules'][number]
type Schedule = NonNullable<DnsProfileDetail['schedule']>
type BlockMode = DnsProfileDetail['block_mode']

/** A time of the schedule in its form; a day's end is 00:00 there. */
export interface TimeValues {
  days: Schedule['times'][number]['days']
  from: string
  to: string
}

/** Values of the form of a profile. */
export interface ProfileValues extends Record<string, unknown> {
  name: string
  whichLists: 'all' | 'some'
  lists: string[]
  /** Domains, one a line. */
  blocked: string
  allowed: string
  services: string[]
  block_mode: NonNullable<BlockMode> | ''
  safe_search: boolean
  youtube: NonNullable<DnsProfileDetail['youtube']> | ''
  self_pause_minutes: number | ''
  when: 'always' | 'times'
  times: TimeValues[]
  time_zone: string
  otherwise: string
  peer_ids: string[]
  group_ids: string[]
  interfaces: string[]
}

/** A new time of a schedule: the evening of school days. */
export const newTime = (): TimeValues => ({ days: ['mon', 'tue', 'wed', 'thu', 'sun'], from: '20:00', to: '06:00' })

/** Values that the form begins with. */
export const profileValues = (profile: DnsProfileDetail | undefined): ProfileValues => ({
  name: profile?.name ?? '',
  whichLists: (profile?.lists ?? null) === null ? 'all' : 'some',
  lists: profile?.lists ?? [],
  blocked: domainsOf(profile, 'block'),
  allowed: domainsOf(profile, 'allow'),
  services: profile?.services ?? [],
  block_mode: profile?.block_mode ?? '',
  safe_search: profile?.safe_search ?? false,
  youtube: profile?.youtube ?? '',
  self_pause_minutes: profile?.self_pause_minutes ?? 0,
  when: (profile?.schedule ?? null) === null ? 'always' : 'times',
  times: profile?.schedule?.times.map((time) => ({ ...time, to: time.to === '24:00' ? '00:00' : time.to })) ?? [
    newTime(),
  ],
  time_zone: profile?.schedule?.time_zone ?? '',
  otherwise: profile?.schedule?.otherwise ?? '',
  peer_ids: profile?.peers.map(({ id }) => id) ?? [],
  group_ids: profile?.groups.map(({ id }) => id) ?? [],
  interfaces: profile?.interfaces ?? [],
})

const domainsOf = (profile: DnsProfileDetail | undefined, action: Rule['action']): string =>
  (profile?.rules ?? [])
    .filter((rule) => rule.action === action)
    .map(({ domain }) => domain)
    .join('\n')

/** Domains of a field, in their order. */
export const linesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The request for the values of the form. */
export function toProfile(values: ProfileValues) {
  const { name, whichLists, lists, blocked, allowed, services, block_mode: blockMode, youtube, when } = values
  const rules = [
    ...linesOf(blocked).map((domain) => ({ action: 'block' as const, domain })),
    ...linesOf(allowed).map((domain) => ({ action: 'allow' as const, domain })),
  ]
  return {
    name: name.trim(),
    lists: whichLists === 'all' ? null : lists,
    rules,
    services,
    block_mode: blockMode === '' ? null : blockMode,
    safe_search: values.safe_search,
    youtube: youtube === '' ? null : youtube,
    self_pause_minutes: values.self_pause_minutes === '' ? 0 : values.self_pause_minutes,
    schedule: when === 'always' ? null : scheduleOf(values),
    peer_ids: values.peer_ids,
    group_ids: values.group_ids,
    interfaces: values.interfaces,
  }
}

const scheduleOf = ({ times, time_zone: zone, otherwise }: ProfileValues): Schedule => ({
  time_zone: zone === '' ? null : zone,
  times: times.map(({ days, from, to }) => ({ days, from, to: to === '00:00' ? '24:00' : to })),
  otherwise: otherwise === '' ? null : otherwise,
})

interface Problem {
  path: string
  code: string
  message: string
}

/** A problem of the request at the field of the form that shows it. */
export function problemAtField(problem: Problem, values: ProfileValues): Problem {
  const place = /^rules\.(\d+)\./.exec(problem.path)?.[1]
  if (place === undefined) return { ...problem, path: problem.path.replace(/^schedule\./, '') }
  const { rules } = toProfile(values)
  const rule = rules[Number(place)]
  const path = rule?.action === 'allow' ? 'allowed' : 'blocked'
  return { ...problem, path, message: `“${rule?.domain ?? ''}” ${problem.message}` }
}
