import { z } from 'zod'
import { nameKey, plainText } from '../../envelope.ts'
import { allGroupRows } from '../../access-rules/store.ts'
import { loadedProfile } from '../../filtering/profiles/loaded-profile.ts'
import { DnsProfileCreate } from '../../filtering/profiles/schema.ts'
import { allProfileRows, allTargetRows } from '../../filtering/profiles/store.ts'
import { allListRows } from '../../lists/store.ts'
import { invalidField } from '../../problems.ts'
import { faultsOf } from '../faults.ts'
import type { Fault, Section, SectionContext, Wanted } from '../section.ts'
import { peerNameRows } from '../store.ts'
import { canonicalDomain } from './dns-rules.ts'

const {
  name: ProfileName,
  rules,
  services,
  block_mode: BlockMode,
  safe_search: safeSearch,
  youtube,
  schedule,
} = DnsProfileCreate.shape

const ruleItem = rules.unwrap().element
const names = z.array(plainText(64).min(1)).max(10_000).default([])

/** A schedule whose `otherwise` is a name. */
const FileSchedule = schedule
  .unwrap()
  .unwrap()
  .extend({
    otherwise: plainText(64).min(1).nullable().default(null),
    time_zone: plainText(64).min(1).nullable().default(null),
  })

const ProfileEntry = z.strictObject({
  lists: z.array(plainText(64).min(1)).max(32).nullable().default(null),
  rules: z
    .array(ruleItem.extend({ domain: ruleItem.shape.domain.transform(canonicalDomain) }))
    .max(1000)
    .default([]),
  services,
  block_mode: BlockMode,
  safe_search: safeSearch,
  youtube,
  schedule: FileSchedule.nullable().default(null),
  peers: names,
  groups: names,
  interfaces: names,
})
type ProfileEntry = z.infer<typeof ProfileEntry>

/** Members with names of entries of other sections. */
const named = [
  { member: 'lists', section: 'dns_lists', message: 'is no list' },
  { member: 'peers', section: 'peers', message: 'is no peer' },
  { member: 'groups', section: 'access_groups', message: 'is no group' },
  { member: 'interfaces', section: 'interfaces', message: 'is no interface' },
] as const

/** The profiles of the DNS filter, by name, with what they are assigned to. A pause is no wanted state. */
export const dnsProfilesSection: Section<ProfileEntry> = {
  name: 'dns_profiles',
  noun: 'profile',
  form: 'map',
  schema: ProfileEntry,
  names: ProfileName,
  defaults: {
    lists: null,
    rules: [],
    services: [],
    block_mode: null,
    safe_search: false,
    youtube: null,
    schedule: null,
    peers: [],
    groups: [],
    interfaces: [],
  },
  needs: ['interfaces', 'dns_lists', 'peers', 'access_groups'],
  prunes: 'last',
  identify: (_, name) => ({ key: nameKey(name), name }),
  references: (entry) => [
    ...named.flatMap(({ member, section, message }) =>
      (entry[member] ?? []).map((name, index) => {
        return { section, key: section === 'interfaces' ? name : nameKey(name), path: [member, index], message }
      }),
    ),
    ...[entry.schedule?.otherwise ?? []].flat().map((name) => {
      return { section: 'dns_profiles', key: nameKey(name), path: ['schedule', 'otherwise'], message: 'is no profile' }
    }),
  ],
  read,
  async apply(context, { create, change, all }) {
    const twice = assignedTwice(all.map(({ wanted }) => wanted))
    if (twice.length > 0) return twice
    const { profiles } = context.parts.dns
    const ids = await idsOf(context)
    const later: { readonly wanted: Wanted<ProfileEntry>; readonly id: string }[] = []
    // A schedule may name a profile that is still to come, or one whose own schedule leads back until it is changed too.
    const faults = [
      ...(await faultsOf(
        change,
        ({ wanted }) => wanted.path,
        async ({ held, wanted, members }) => {
          const changes = { ...inputOf(members, ids), ...(held.name === wanted.name ? {} : { name: wanted.name }) }
          await profiles.update(held.id, changes)
          if (members.schedule?.otherwise != null) later.push({ wanted, id: held.id })
        },
      )),
      ...(await faultsOf(
        create,
        ({ path }) => path,
        async (wanted) => {
          const input = DnsProfileCreate.parse({ ...inputOf(wanted.value, ids), name: wanted.name })
          const { profile } = await profiles.create(input, context.by)
          if (wanted.value.schedule?.otherwise != null) later.push({ wanted, id: profile.id })
        },
      )),
    ]
    if (faults.length > 0 || later.length === 0) return faults
    const known = await idsOf(context)
    return faultsOf(
      later,
      ({ wanted }) => wanted.path,
      ({ wanted: { value }, id }) =>
        profiles.update(id, {
          schedule: value.schedule && {
            ...value.schedule,
            otherwise: idOf(known.profiles, value.schedule.otherwise ?? '', 'schedule.otherwise'),
          },
        }),
    )
  },
  async remove({ parts }, extra) {
    const { profiles } = parts.dns
    for (const { id, value } of extra)
      if (value.schedule?.otherwise != null) await profiles.update(id, { schedule: null })
    for (const { id } of extra) await profiles.remove(id)
  },
}

async function read(context: SectionContext) {
  const { db } = context.parts
  const rows = await allProfileRows(db)
  const targets = Map.groupBy(await allTargetRows(db), (target) => target.profile_id)
  const { peerNames, groupNames, listNames } = await namesOf(context)
  const profileNames = new Map(rows.map(({ id, name }) => [id, name]))
  return rows.map((row) => {
    const { lists, rules: stored, services: off, schedule: when, ...plain } = loadedProfile(row)
    const mine = targets.get(row.id) ?? []
    const shown = (known: ReadonlyMap<string, string>, ids: readonly (string | null)[]) =>
      ids.flatMap((id) => (id === null ? [] : (known.get(id) ?? []))).toSorted()
    return {
      id: row.id,
      key: row.name_key,
      name: row.name,
      value: {
        lists: lists && shown(listNames, lists),
        rules: stored.map(({ action, domain, belowOnly }) => ({ action, domain: belowOnly ? `*.${domain}` : domain })),
        services: off.toSorted(),
        block_mode: plain.blockMode,
        safe_search: plain.safeSearch,
        youtube: plain.youtube,
        schedule: when && {
          time_zone: when.time_zone,
          times: when.times.map(({ days, from, to }) => ({ days: [...days], from, to })),
          otherwise: when.otherwise === null ? null : (profileNames.get(when.otherwise) ?? null),
        },
        peers: shown(
          peerNames,
          mine.map((target) => target.peer_id),
        ),
        groups: shown(
          groupNames,
          mine.map((target) => target.group_id),
        ),
        interfaces: mine.flatMap((target) => target.interface ?? []).toSorted(),
      },
    }
  })
}

async function namesOf({ parts: { db } }: SectionContext) {
  const mapOf = (rows: readonly { id: string; name: string }[]) => new Map(rows.map(({ id, name }) => [id, name]))
  return {
    peerNames: mapOf(await peerNameRows(db)),
    groupNames: mapOf(await allGroupRows(db)),
    listNames: mapOf(await allListRows(db)),
  }
}

type Ids = ReadonlyMap<string, string>

/** Ids by names as these are compared. */
async function idsOf({ parts: { db } }: SectionContext) {
  const mapOf = (rows: readonly { id: string; name_key: string }[]): Ids =>
    new Map(rows.map((row) => [row.name_key, row.id]))
  return {
    peers: mapOf(await peerNameRows(db)),
    groups: mapOf(await allGroupRows(db)),
    lists: mapOf(await allListRows(db)),
    profiles: mapOf(await allProfileRows(db)),
  }
}

/** What the profiles take of an entry; a schedule without what holds otherwise, which comes when all profiles are there. */
function inputOf(members: Partial<ProfileEntry>, ids: Awaited<ReturnType<typeof idsOf>>) {
  const { lists, peers, groups, schedule: when, ...plain } = members
  const all = (kind: 'lists' | 'peers' | 'groups', wanted: readonly string[]) =>
    wanted.map((name, index) => idOf(ids[kind], name, `${kind}.${index}`))
  return {
    ...plain,
    ...(lists === undefined ? {} : { lists: lists && all('lists', lists) }),
    ...(peers === undefined ? {} : { peer_ids: all('peers', peers) }),
    ...(groups === undefined ? {} : { group_ids: all('groups', groups) }),
    ...(when === undefined ? {} : { schedule: when && { ...when, otherwise: null } }),
  }
}

function idOf(ids: Ids, name: string, path: string): string {
  const id = ids.get(nameKey(name))
  if (id === undefined) throw invalidField(path, 'is not there')
  return id
}

/** A device, group or interface has one profile. */
function assignedTwice(entries: readonly Wanted<ProfileEntry>[]): Fault[] {
  return (['peers', 'groups', 'interfaces'] as const).flatMap((kind) => {
    const seen = new Map<string, string>()
    return entries.flatMap(({ name: profile, value, path }) =>
      value[kind].flatMap((name, index): Fault[] => {
        const before = seen.get(nameKey(name))
        seen.set(nameKey(name), profile)
        return before === undefined
          ? []
          : [{ path: [...path, kind, index], message: `has the profile ${before} in this file already` }]
      }),
    )
  })
}
