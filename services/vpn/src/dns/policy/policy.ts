import type { NameSeeds } from './name-hash.ts'
import { buildClientTable } from './client-table-memory.ts'
import { type ClientRecord, type ClientTable, openClientTable } from './client-table.ts'
import { audiencesOf, ConditionalRules } from './conditional-rules.ts'
import { type ListBundle, openBundle } from './list-bundle.ts'
import { type ProfileRecord, type ProfileTable, buildProfileTable, openProfileTable } from './profile-table.ts'
import { type PatternMatcher, createPatternMatcher } from './patterns.ts'
import { type LocalRecord, buildRecordTable, emptyRecordTable } from './lay-records.ts'
import { type RecordTable, openRecordTable } from './record-table.ts'
import { type RuleRecord, type RuleTable, buildRuleTable, openRuleTable } from './rule-table.ts'
import { type ZoneTable, buildZoneTable, openZoneTable } from './zone-table.ts'

/** Settings that take part in decisions. */
export interface PolicySettings {
  /** False: nothing is filtered. */
  readonly blockingEnabled: boolean
  /** Milliseconds since the epoch until which nothing is filtered; 0 for not paused. */
  readonly pausedUntil: number
  /** Domains in wire form that are sent to upstreams although they are within a local zone. */
  readonly forwardedZones: readonly Uint8Array[]
}

/**
 * All look-ups a decision needs, over memory that threads share. Immutable: what changes is replaced, as a whole by `openPolicy`
 * or in part by a copy (`{ ...policy, clients }`), and put in force between two batches. The rules belong to the bundle's seeds.
 */
export interface Policy {
  readonly bundle: ListBundle
  readonly clients: ClientTable
  readonly profiles: ProfileTable
  readonly rules: RuleTable
  readonly records: RecordTable
  /** Names of peers, by themselves. */
  readonly peerNames: RecordTable
  /** Zones whose names are sent to servers of their own. */
  readonly zones: ZoneTable
  readonly settings: PolicySettings
  readonly patterns: PatternMatcher
  /** Rules of lists that need more than a name. */
  readonly conditional: ConditionalRules
  /** For the text of an Extended DNS Error, by list number: UTF-8, at most 64 bytes. */
  readonly listNames: readonly (Uint8Array | undefined)[]
}

/** A policy as it goes from thread to thread: structured cloning shares the memory and copies the settings. */
export interface PolicyMemory {
  readonly bundle: SharedArrayBuffer
  readonly clients: SharedArrayBuffer
  readonly profiles: SharedArrayBuffer
  readonly rules: SharedArrayBuffer
  readonly records: SharedArrayBuffer
  readonly peerNames: SharedArrayBuffer
  readonly zones: SharedArrayBuffer
  readonly settings: PolicySettings
}

/** Makes a policy's memory of what the files say. The bundle comes compiled, see `lists/`. */
export function buildPolicy(parts: {
  readonly bundle: SharedArrayBuffer
  readonly clients: readonly ClientRecord[]
  readonly profiles?: readonly ProfileRecord[]
  readonly rules: readonly RuleRecord[]
  readonly records?: readonly LocalRecord[]
  readonly peerNames?: SharedArrayBuffer
  readonly zones?: SharedArrayBuffer
  readonly settings: PolicySettings
}): PolicyMemory {
  const { lists, table, rules } = openBundle(parts.bundle)
  return {
    bundle: parts.bundle,
    clients: buildClientTable(parts.clients, lists, audiencesOf(rules)),
    profiles: buildProfileTable(parts.profiles ?? [], lists),
    rules: buildRuleTable(parts.rules, table.seeds),
    records: buildRecordTable(parts.records ?? [], table.seeds),
    peerNames: parts.peerNames ?? emptyRecordTable(table.seeds),
    zones: parts.zones ?? buildZoneTable([], table.seeds),
    settings: parts.settings,
  }
}

/** Opens the memory of a policy. Throws when a part is cut off, or when the rules were hashed with other seeds. */
export function openPolicy(memory: PolicyMemory): Policy {
  const bundle = openBundle(memory.bundle)
  const rules = openRuleTable(memory.rules)
  const records = openRecordTable(memory.records)
  const peerNames = openRecordTable(memory.peerNames)
  if (!isSame(records.seeds, bundle.table.seeds) || !isSame(peerNames.seeds, bundle.table.seeds))
    throw new Error('the local records were made for another bundle of lists')
  const zones = openZoneTable(memory.zones)
  if (!isSame(zones.seeds, bundle.table.seeds)) throw new Error('the zones were made for another bundle of lists')
  if (!isSame(rules.seeds, bundle.table.seeds)) throw new Error('the rules were made for another bundle of lists')
  const listNames: (Uint8Array | undefined)[] = []
  for (const list of bundle.lists) listNames[list.number] = shortText(list.name)
  return {
    bundle,
    clients: openClientTable(memory.clients),
    profiles: openProfileTable(memory.profiles),
    rules,
    records,
    peerNames,
    zones,
    settings: memory.settings,
    patterns: createPatternMatcher(bundle.patterns),
    conditional: new ConditionalRules(bundle.rules, bundle.table.seeds),
    listNames,
  }
}

/** The policy of another memory, with what is in both opened once: a change of the clients alone opens their table alone. */
export function reopenPolicy(policy: Policy, before: PolicyMemory, after: PolicyMemory): Policy {
  if (before === after) return policy
  if (before.bundle !== after.bundle || before.rules !== after.rules) return openPolicy(after)
  const records = before.records === after.records ? policy.records : openRecordTable(after.records)
  const peerNames = before.peerNames === after.peerNames ? policy.peerNames : openRecordTable(after.peerNames)
  const clients = before.clients === after.clients ? policy.clients : openClientTable(after.clients)
  const profiles = before.profiles === after.profiles ? policy.profiles : openProfileTable(after.profiles)
  const zones = before.zones === after.zones ? policy.zones : openZoneTable(after.zones)
  return { ...policy, clients, profiles, records, peerNames, zones, settings: after.settings }
}

/** The lists that hold for the client with this index, a bit each: those of the profile that holds for it, or its own. */
export function listsInForce({ clients, profiles }: Policy, index: number): number {
  const profile = clients.profileOf(index)
  return profile !== 0 && profiles.holds(profile) !== 0 ? profiles.listsOf(profile) : clients.listsOf(index)
}

/** Returns true if filtering is paused at this time, milliseconds since the epoch. */
export const isPausedAt = (policy: Policy, now: number): boolean => now < policy.settings.pausedUntil

const isSame = (one: NameSeeds, other: NameSeeds): boolean =>
  (one.first | 0) === (other.first | 0) && (one.second | 0) === (other.second | 0)

/** Returns the beginning of a text that fits in 64 bytes, without half a character. */
function shortText(text: string): Uint8Array {
  const bytes = new Uint8Array(64)
  return bytes.slice(0, new TextEncoder().encodeInto(text, bytes).written)
}
