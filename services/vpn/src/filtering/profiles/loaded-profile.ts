import { toIsoString } from '@hearth/runtime'
import { blockModes, type ResolverProfile, type ResolverRule } from '../../dns/resolver-files.ts'
import { Safety } from '../../dns/policy/safe-search.ts'
import { profileClient } from '../../dns/policy/profile-table.ts'
import type { Holding } from './holding.ts'
import type { Schedule } from './schedule.ts'
import type { PeerDnsProfile } from './schema.ts'
import { serviceWith } from './services.data.ts'
import type { DnsProfileRow } from './tables.ts'

/** A rule of a profile, as it is stored. */
export interface ProfileRule {
  /** Stands for it in the resolver and its log. */
  readonly number: number
  readonly action: 'block' | 'allow'
  readonly domain: string
  readonly belowOnly: boolean
}

/** A profile as it is used: its columns read. */
export interface LoadedProfile {
  readonly id: string
  readonly number: number
  readonly name: string
  readonly lists: readonly string[] | null
  readonly rules: readonly ProfileRule[]
  /** Ids of services that are off. */
  readonly services: readonly string[]
  readonly blockMode: DnsProfileRow['block_mode']
  /** Search engines answer with their filter on. */
  readonly safeSearch: boolean
  /** Restricted mode of YouTube; null for none. */
  readonly youtube: DnsProfileRow['youtube']
  readonly schedule: Schedule | null
  /** Minutes for which a device may pause its filter itself, each time; 0 for never. */
  readonly selfPauseMinutes: number
  readonly pausedUntil: number
}

/** Reads the columns of a stored profile. */
export const loadedProfile = (row: DnsProfileRow): LoadedProfile => ({
  id: row.id,
  number: row.number,
  name: row.name,
  lists: row.lists === null ? null : (JSON.parse(row.lists) as string[]),
  rules: JSON.parse(row.rules) as ProfileRule[],
  services: JSON.parse(row.services) as string[],
  blockMode: row.block_mode,
  safeSearch: row.safe_search === 1,
  youtube: row.youtube,
  schedule: row.schedule === null ? null : (JSON.parse(row.schedule) as Schedule),
  selfPauseMinutes: row.self_pause_minutes,
  pausedUntil: row.paused_until,
})

/** Numbers from here on stand for the services that profiles switch off; the numbers of rules are below. */
export const serviceRules = 2 ** 31 - 2 ** 17
const servicesPerProfile = 256

/** What the resolver is told of the clients of a profile, for which `holds` holds. */
export const resolverProfile = (
  { number }: LoadedProfile,
  holds: LoadedProfile | undefined,
  now: number,
): ResolverProfile => ({
  number,
  holds: holds?.number ?? 0,
  isPaused: holds !== undefined && holds.pausedUntil > now,
  lists: holds?.lists ?? null,
  blockMode: holds?.blockMode ? blockModes.indexOf(holds.blockMode) + 1 : 0,
  safety: holds === undefined ? 0 : safetyOf(holds),
})

function safetyOf({ safeSearch, youtube }: LoadedProfile): number {
  const video = { strict: Safety.strictYoutube, moderate: Safety.moderateYoutube }
  return (safeSearch ? Safety.search : 0) | (youtube === null ? 0 : video[youtube])
}

/** The rules of a profile and of the services it switches off. Its own come first: they count when both name a domain. */
export function resolverRules({ number, rules, services }: LoadedProfile): ResolverRule[] {
  const client = profileClient(number)
  const own = rules.map((rule) => ({ ...rule, client }))
  const off = services.flatMap((id) => {
    const service = serviceWith(id)
    if (service === undefined) return []
    const rule = serviceRules + number * servicesPerProfile + service.number
    return service.names.map((domain) => ({ number: rule, action: 'block' as const, domain, belowOnly: false, client }))
  })
  return [...own, ...off]
}

/** A rule of a profile as people are told of it. */
export interface ProfileRuleName {
  readonly id: null
  readonly client: null
  readonly text: string
  /** Whose rule it is, as a sentence begins. */
  readonly from: string
}

/** The names of all rules of a profile, by number. */
export function ruleNames({ number, name, rules, services }: LoadedProfile): [number, ProfileRuleName][] {
  const own = rules.map((rule): [number, ProfileRuleName] => [
    rule.number,
    {
      id: null,
      client: null,
      text: rule.belowOnly ? `*.${rule.domain}` : rule.domain,
      from: `Rule of the profile ${name}`,
    },
  ])
  const off = services.flatMap((id): [number, ProfileRuleName][] => {
    const service = serviceWith(id)
    if (service === undefined) return []
    const rule = serviceRules + number * servicesPerProfile + service.number
    return [
      [rule, { id: null, client: null, text: service.name, from: `Service that the profile ${name} switches off` }],
    ]
  })
  return [...own, ...off]
}

/** A profile's id and name. */
export const named = (profile: LoadedProfile | undefined): { id: string; name: string } | null =>
  profile === undefined ? null : { id: profile.id, name: profile.name }

/** What holds, for the wire. */
export function stateView(
  { profile, next }: Holding<LoadedProfile>,
  now: number,
): Pick<PeerDnsProfile, 'holds' | 'paused_until' | 'next'> {
  const pausedUntil = profile === undefined || profile.pausedUntil <= now ? null : profile.pausedUntil
  return {
    holds: named(profile),
    paused_until: toIsoString(pausedUntil),
    next: next === undefined ? null : { at: new Date(next.at).toISOString(), profile: named(next.profile) },
  }
}
