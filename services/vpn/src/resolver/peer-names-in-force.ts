import { addressBytes } from '../dns/address-bytes.ts'
import { isInLocalZone } from '../dns/policy/local-zones.ts'
import type { NameSeeds } from '../dns/policy/name-hash.ts'
import { changeRecords, emptyRecordTable, layRecords, ownerEntry } from '../dns/policy/lay-records.ts'
import type { OwnerEntry } from '../dns/policy/record-layout.ts'
import type { ResolverClient, ResolverName, ResolverSettings } from '../dns/resolver-files.ts'
import { Type } from '../dns/wire/codes.ts'
import { reverseName } from '../dns/reverse-name.ts'
import { wireName } from '../dns/wire/wire-name.ts'
import type { ClientsChange } from './messages.ts'

/** Seconds for which a device may remember the address of a peer. */
const ttl = 30

/** Names for which a table has room, beside a tenth of its own. */
const minSpare = 64

/**
 * Names of peers, and the table they are looked up in: `phone.vpn`, and the way back from the addresses. A change alters a copy
 * of the table, and does not lay all names again.
 */
export class PeerNamesInForce {
  readonly #clients: Map<number, ResolverClient>
  readonly #others: readonly ResolverName[]
  /** What each client puts into the table, for these seeds and this suffix. */
  readonly #entries = new Map<number, readonly OwnerEntry[]>()
  /** What has changed since the table was made: entries to take out, and clients whose entries are to be put in. */
  readonly #pending = { left: [] as OwnerEntry[], joined: new Set<number>() }
  #suffix: string | null = null
  #isForwarded = false
  #seeds: NameSeeds | undefined
  #memory: SharedArrayBuffer | undefined

  /** `others` are found by their names, too. */
  constructor(clients: Iterable<ResolverClient>, others: readonly ResolverName[] = []) {
    this.#clients = new Map(Array.from(clients, (client) => [client.number, client]))
    this.#others = others
  }

  /** The table for names hashed with these seeds. */
  table(seeds: NameSeeds, { peerNamesSuffix: suffix, forwardedZones }: PeerNameSettings): SharedArrayBuffer {
    const isForwarded = suffix !== null && forwardedZones.some((zone) => suffix === zone || suffix.endsWith(`.${zone}`))
    const isSame = this.#seeds?.first === seeds.first && this.#seeds.second === seeds.second
    if (!isSame || suffix !== this.#suffix || isForwarded !== this.#isForwarded) {
      this.#forget()
    }
    this.#seeds = seeds
    this.#suffix = suffix
    this.#isForwarded = isForwarded
    this.#memory = this.#changed(seeds) ?? this.#build(seeds)
    return this.#memory
  }

  /** Replaces all clients. */
  replace(clients: Iterable<ResolverClient>): void {
    this.#clients.clear()
    for (const client of clients) this.#clients.set(client.number, client)
    this.#forget()
  }

  /** Changes some clients; true when names or their addresses are others now. */
  change({ set, removed }: ClientsChange): boolean {
    let isOther = false
    for (const number of removed) {
      isOther ||= typeof this.#clients.get(number)?.label === 'string'
      this.#clients.delete(number)
      this.#note(number)
    }
    for (const client of set) {
      const known = this.#clients.get(client.number)
      this.#clients.set(client.number, client)
      if (known !== undefined && isSameName(known, client)) continue
      this.#note(client.number)
      isOther = true
    }
    return isOther
  }

  /** Notes that a client came, left or has other names. */
  #note(number: number): void {
    const { left, joined } = this.#pending
    for (const entry of this.#entries.get(number) ?? []) left.push(entry)
    this.#entries.delete(number)
    if (this.#clients.has(number)) joined.add(number)
    else joined.delete(number)
  }

  /** Forgets what was laid: the next table is made anew. */
  #forget(): void {
    this.#entries.clear()
    this.#memory = undefined
    this.#pending.left.length = 0
    this.#pending.joined.clear()
  }

  /** The table with what has changed since; undefined when it must be laid again. */
  #changed(seeds: NameSeeds): SharedArrayBuffer | undefined {
    const suffix = this.#suffix
    const { left, joined } = this.#pending
    if (this.#memory === undefined || suffix === null) return this.#memory
    if (left.length === 0 && joined.size === 0) return this.#memory
    const added = Array.from(joined).flatMap((number) => this.#entriesOf(number, suffix, seeds))
    const changed = changeRecords(this.#memory, { removed: left, added })
    left.length = 0
    joined.clear()
    return changed
  }

  #entriesOf(number: number, suffix: string, seeds: NameSeeds): readonly OwnerEntry[] {
    const client = this.#clients.get(number)
    if (client === undefined) return []
    const own = this.#entries.get(number) ?? entriesOf(client, suffix, seeds)
    this.#entries.set(number, own)
    return own
  }

  #build(seeds: NameSeeds): SharedArrayBuffer {
    const suffix = this.#suffix
    if (suffix === null) return emptyRecordTable(seeds)
    const entries: OwnerEntry[] = []
    for (const number of this.#clients.keys())
      for (const entry of this.#entriesOf(number, suffix, seeds)) entries.push(entry)
    for (const other of this.#others) entries.push(...entriesOf(other, suffix, seeds))
    const above = this.#isForwarded ? [] : zoneEntries(suffix, seeds)
    return layRecords([...above, ...entries], seeds, minSpare + Math.ceil(entries.length / 10))
  }
}

type PeerNameSettings = Pick<ResolverSettings, 'peerNamesSuffix' | 'forwardedZones'>

const isSameName = (one: ResolverClient, other: ResolverClient): boolean =>
  one.label === other.label && one.addresses.join() === other.addresses.join()

/** The suffix itself has no data, and what is below it does not exist unless it is a peer's. */
function zoneEntries(suffix: string, seeds: NameSeeds): OwnerEntry[] {
  const above = [suffix]
  for (let dot = suffix.indexOf('.'); dot >= 0; dot = suffix.indexOf('.', dot + 1)) {
    if (isInLocalZone(suffix.slice(dot + 1))) above.push(suffix.slice(dot + 1))
  }
  const own = above.map((domain) => ownerEntry({ domain, belowOnly: false, records: [] }, seeds))
  return [...own, ownerEntry({ domain: suffix, belowOnly: true, records: [] }, seeds)].filter(
    (entry) => entry !== undefined,
  )
}

function entriesOf(
  { label, addresses }: Pick<ResolverClient, 'label' | 'addresses'>,
  suffix: string,
  seeds: NameSeeds,
): OwnerEntry[] {
  const domain = `${label ?? ''}.${suffix}`
  const name = wireName(domain)
  if (typeof label !== 'string' || name === undefined) return []
  const records = addresses.flatMap((address) => {
    const data = addressBytes(address)
    return data === undefined ? [] : [{ type: data.length === 4 ? Type.a : Type.aaaa, ttl, data }]
  })
  const reverse = addresses.map((address) =>
    ownerEntry(
      { domain: reverseName(address), belowOnly: false, records: [{ type: Type.ptr, ttl, data: name }] },
      seeds,
    ),
  )
  return [ownerEntry({ domain, belowOnly: false, records }, seeds), ...reverse].filter((entry) => entry !== undefined)
}
