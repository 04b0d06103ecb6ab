import type { EngineSettings } from '../src/dns/engine-settings.ts'
import type { ClientRecord } from '../src/dns/policy/client-table.ts'
import { hashDomain } from '../src/dns/policy/domain-hash.ts'
import { type ListBundle, assembleBundle, openBundle } from '../src/dns/policy/list-bundle.ts'
import { Meaning, createClasses, meanings } from '../src/dns/policy/membership.ts'
import type { NameSeeds } from '../src/dns/policy/name-hash.ts'
import { type Policy, type PolicySettings, buildPolicy, openPolicy } from '../src/dns/policy/policy.ts'
import type { ProfileRecord } from '../src/dns/policy/profile-table.ts'
import type { LocalRecord } from '../src/dns/policy/lay-records.ts'
import type { RuleRecord } from '../src/dns/policy/rule-table.ts'
import { addressBytes } from '../src/dns/address-bytes.ts'
import { wireName } from '../src/dns/wire/wire-name.ts'
import { insertName, tableBits } from '../src/dns/policy/suffix-table.ts'
import { buildZoneTable } from '../src/dns/policy/zone-table.ts'

/** An entry of a list: `||d^`, `|d|` or `*.d`, after `@@` for an exception, before `$important`. */
export type TestList = readonly string[]

/** Content of an entry. */
export function readEntry(entry: string): { domain: string; meaning: number; here: boolean; below: boolean } {
  const isAllow = entry.startsWith('@@')
  const isImportant = entry.endsWith('$important')
  const body = entry.replace('@@', '').replace('$important', '')
  const domain = body.replace(/^(\|\||\||\*\.)/, '').replace(/[\^|]$/, '')
  const meaning = isAllow
    ? isImportant
      ? Meaning.allowsImportantly
      : Meaning.allows
    : isImportant
      ? Meaning.blocksImportantly
      : Meaning.blocks
  return { domain, meaning, here: !body.startsWith('*.'), below: !body.startsWith('|') || body.startsWith('||') }
}

/** Lists compiled in the simplest way; list k has number k, id `list-k` and name `List k`. */
export function bundleOf(
  lists: readonly TestList[],
  seeds: NameSeeds = { first: 0x1234_5678, second: 0x0765_4321 },
): ListBundle {
  const classes = createClasses()
  const names = lists.reduce((sum, { length }) => sum + length, 0)
  const bits = tableBits(names)
  const table = { words: new Uint32Array(2 * 2 ** bits), bits, seeds }
  let count = 0
  for (const [list, entries] of lists.entries()) {
    for (const entry of entries) {
      const { domain, meaning, here, below } = readEntry(entry)
      const lanes = hashDomain(domain, seeds)
      if (lanes === undefined) throw new Error(`no domain: ${domain}`)
      for (const [isSaid, what] of [
        [here, meaning],
        [below, meaning + Meaning.below],
      ] as const) {
        if (
          isSaid &&
          insertName(table, { ...lanes, class: classes.single(what, list) }, (one, other) =>
            classes.combine(one, other),
          )
        )
          count += 1
      }
    }
  }
  return assembleBundle({
    table,
    classes: classes.words.slice(0, classes.count() * meanings),
    patterns: new Int32Array(0),
    names: count,
    lists: lists.map((_, number) => ({
      number,
      id: `list-${number}`,
      name: `List ${number}`,
      sha256: '',
      format: 'adblock',
    })),
  })
}

/** A client with number k has the addresses 10.0.0.k and fd00::k. */
export const clientOf = (number: number, more: Partial<ClientRecord> = {}): ClientRecord => ({
  number,
  addresses: [`10.0.0.${number}`, `fd00::${number.toString(16)}`],
  filtering: true,
  lists: null,
  logging: true,
  ...more,
})

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** A local record in the words of an operator: `nas.home A 192.0.2.1`, `*.home CNAME nas.home`; other data as bytes. */
export function recordOf(text: string, data?: Uint8Array, ttl = 300): LocalRecord {
  const [name = '', typeName = '', value = ''] = text.split(' ')
  const type = { A: 1, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 }[typeName] ?? 0
  const written = type === 1 || type === 28 ? addressBytes(value) : wireName(value)
  const domain = name.replace('*.', '')
  return { domain, belowOnly: name.startsWith('*.'), type, ttl, data: hexOf(data ?? written ?? new Uint8Array(0)) }
}

let ruleNumber = 0
/** A rule in the words of an operator: `block ads.example`, `allow *.ads.example`; for a client, or 0 for everyone. */
export function ruleOf(text: string, client = 0, number = ++ruleNumber): RuleRecord {
  const [action, pattern] = text.split(' ') as ['block' | 'allow', string]
  return { number, action, domain: pattern.replace('*.', ''), belowOnly: pattern.startsWith('*.'), client }
}

const bundles = new Map<string, SharedArrayBuffer>()

/** Compiling takes longer than everything else, and tests ask for the same lists again and again. */
function compiled(lists: readonly TestList[]): SharedArrayBuffer {
  const key = JSON.stringify(lists)
  const memory = bundles.get(key) ?? bundleOf(lists).memory
  if (bundles.size < 100) bundles.set(key, memory)
  return memory
}

/** A policy with lists, clients and rules; filtering is on. */
export function policyOf(parts: {
  readonly lists?: readonly TestList[]
  readonly clients?: readonly ClientRecord[]
  readonly profiles?: readonly ProfileRecord[]
  readonly rules?: readonly RuleRecord[]
  readonly records?: readonly LocalRecord[]
  /** Groups of upstreams by zone, from 1; the scope is the group's hundredfold. */
  readonly zones?: Readonly<Record<string, number>>
  readonly settings?: Partial<PolicySettings>
}): Policy {
  const bundle = compiled(parts.lists ?? [])
  const zones = Object.entries(parts.zones ?? {}).map(([domain, group]) => ({ domain, group, scope: 100 * group }))
  return openPolicy(
    buildPolicy({
      bundle,
      zones: buildZoneTable(zones, openBundle(bundle).table.seeds),
      clients: parts.clients ?? [],
      profiles: parts.profiles ?? [],
      rules: parts.rules ?? [],
      records: parts.records ?? [],
      settings: { blockingEnabled: true, pausedUntil: 0, forwardedZones: [], ...parts.settings },
    }),
  )
}

/** Settings as they are before anybody changes them. */
export const plainSettings: EngineSettings = {
  blockMode: 'zero_ip',
  customIpv4: undefined,
  customIpv6: undefined,
  blockTtl: 10,
  dnssec: false,
  blockPrivateAnswers: true,
  privateAnswersAllowed: [],
  serveStale: true,
  dns64: undefined,
  prefetch: false,
  cache: { minTtl: 0, maxTtl: 86_400 },
}
