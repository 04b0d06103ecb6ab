import { z } from 'zod'
import { nameKey, plainText } from '../../envelope.ts'
import { allGroupRows } from '../../access-rules/store.ts'
import { loadedProfile } from '../../filtering/profiles/loaded-profile.ts'
import { DnsProfileCreate } from '../../filtering/profiles/schema.ts'
import { allProfileRows, allTargetRows } from '../../filtering/profiles/store.ts'
import { allListRows } from '../../lists/store.ts'
import { invalidField } from '../../problems.ts'
import { faultsOf } from '../faults.ts'
import { type Ids, idsNamed, idsOf, type Names, namesOf, peerIds, referencesTo } from '../names.ts'
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
  self_pause_minutes: selfPause,
  schedule,
} = DnsProfileCreate.shape

const ruleItem = rules.unwrap().element
/** As many names as the profile may have. */
const names = (most: number) => z.array(plainText(64).min(1)).max(most).default([])

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
  self_pause_minutes: selfPause,
  schedule: FileSchedule.nullable().default(null),
  peers: names(10_000),
  groups: names(200),
  interfaces: names(200),
})
type ProfileEntry = z.infer<typeof ProfileEntry>

/** Members with names of entries of other sections. */
const naming = {
  lists: { member: 'lists', section: 'dns_lists', noun: 'list' },
  peers: { member: 'peers', section: 'peers', noun: 'peer' },
  groups: { member: 'groups', section: 'access_groups', noun: 'group' },
} as const

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
    self_pause_minutes: 0,
    schedule: null,
    peers: [],
    groups: [],
    interfaces: [],
  },
  needs: ['interfaces', 'dns_lists', 'peers', 'access_groups'],
  prunes: 'last',
  identify: (_, name) => ({ key: nameKey(name), name }),
  references: ({ lists, peers, groups, interfaces, schedule: when }) => [
    ...referencesTo(naming.lists, lists ?? []),
    ...referencesTo(naming.peers, peers),
    ...referencesTo(naming.groups, groups),
    // Names of interfaces are compared as they are.
    ...interfaces.map((key, index) => {
      return { section: 'interfaces', key, path: ['interfaces', index], message: 'is no interface' }
    }),
    ...[when?.otherwise ?? []].flat().map((name) => {
      return { section: 'dns_profiles', key: nameKey(name), path: ['schedule', 'otherwise'], message: 'is no profile' }
    }),
  ],
  read,
  async apply(context, { create, change, all }) {
    const twice = assignedTwice(all.map(({ wanted }) => wanted))
    if (twice.length > 0) return twice
    const { profiles } = context.parts.dns
    const ids = await allIds(context)
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
    const known = idsOf(await allProfileRows(context.parts.db))
    return faultsOf(
      later,
      ({ wanted }) => wanted.path,
      ({ wanted: { value }, id }) =>
        profiles.update(id, {
          schedule: value.schedule && { ...value.schedule, otherwise: otherwiseOf(value, known) },
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
  const peerNames = namesOf(await peerNameRows(db))
  const groupNames = namesOf(await allGroupRows(db))
  const listNames = namesOf(await allListRows(db))
  const profileNames = namesOf(rows)
  return rows.map((row) => {
    const { lists, rules: stored, services: off, schedule: when, ...plain } = loadedProfile(row)
    const mine = targets.get(row.id) ?? []
    const shown = (known: Names, ids: readonly (string | null)[]) =>
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
        self_pause_minutes: plain.selfPauseMinutes,
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

/** Ids of everything that profiles name. */
async function allIds(context: SectionContext) {
  const { db } = context.parts
  return {
    lists: idsOf(await allListRows(db)),
    peers: await peerIds(context),
    groups: idsOf(await allGroupRows(db)),
  }
}

/** What the profiles take of an entry; a schedule without what holds otherwise, which comes when all profiles are there. */
function inputOf(members: Partial<ProfileEntry>, ids: Awaited<ReturnType<typeof allIds>>) {
  const { lists, peers, groups, schedule: when, ...plain } = members
  return {
    ...plain,
    ...(lists === undefined ? {} : { lists: lists && idsNamed(naming.lists, lists, ids.lists) }),
    ...(peers === undefined ? {} : { peer_ids: idsNamed(naming.peers, peers, ids.peers) }),
    ...(groups === undefined ? {} : { group_ids: idsNamed(naming.groups, groups, ids.groups) }),
    ...(when === undefined ? {} : { schedule: when && { ...when, otherwise: null } }),
  }
}

/** The id of the profile that holds for the rest of the time. */
function otherwiseOf({ schedule: when }: ProfileEntry, profiles: Ids): string {
  const id = profiles.get(nameKey(when?.otherwise ?? ''))
  if (id === undefined) throw invalidField('schedule.otherwise', 'is no profile')
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
