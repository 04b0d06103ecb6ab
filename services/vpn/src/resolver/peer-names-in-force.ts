import { addressBytes } from '../dns/address-bytes.ts'
import { isInLocalZone } from '../dns/policy/local-zones.ts'
import type { NameSeeds } from '../dns/policy/name-hash.ts'
import { emptyRecordTable, layRecords, ownerEntry, type OwnerEntry } from '../dns/policy/record-table.ts'
import type { ResolverClient, ResolverName, ResolverSettings } from '../dns/resolver-files.ts'
import { Type } from '../dns/wire/codes.ts'
import { reverseName } from '../dns/reverse-name.ts'
import { wireName } from '../dns/wire/wire-name.ts'
import type { ClientsChange } from './messages.ts'

/** Seconds for which a device may remember the address of a peer. */
const ttl = 30

/** Names of peers, and the table they are looked up in: `phone.vpn`, and the way back from the addresses. */
export class PeerNamesInForce {
  readonly #clients: Map<number, ResolverClient>
  readonly #others: readonly ResolverName[]
  /** What each client puts into the table, for these seeds and this suffix. */
  readonly #entries = new Map<number, readonly OwnerEntry[]>()
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
      this.#entries.clear()
      this.#memory = undefined
    }
    this.#seeds = seeds
    this.#suffix = suffix
    this.#isForwarded = isForwarded
    this.#memory ??= this.#build(seeds)
    return this.#memory
  }

  /** Replaces all clients. */
  replace(clients: Iterable<ResolverClient>): void {
    this.#clients.clear()
    this.#entries.clear()
    for (const client of clients) this.#clients.set(client.number, client)
    this.#memory = undefined
  }

  /** Changes some clients; true when names or their addresses are others now. */
  change({ set, removed }: ClientsChange): boolean {
    let isOther = false
    for (const number of removed) {
      isOther ||= typeof this.#clients.get(number)?.label === 'string'
      this.#clients.delete(number)
      this.#entries.delete(number)
    }
    for (const client of set) {
      const known = this.#clients.get(client.number)
      this.#clients.set(client.number, client)
      if (known !== undefined && isSameName(known, client)) continue
      this.#entries.delete(client.number)
      isOther = true
    }
    if (isOther) this.#memory = undefined
    return isOther
  }

  #build(seeds: NameSeeds): SharedArrayBuffer {
    const suffix = this.#suffix
    if (suffix === null) return emptyRecordTable(seeds)
    const entries: OwnerEntry[] = []
    for (const client of this.#clients.values()) {
      const own = this.#entries.get(client.number) ?? entriesOf(client, suffix, seeds)
      this.#entries.set(client.number, own)
      for (const entry of own) entries.push(entry)
    }
    for (const other of this.#others) entries.push(...entriesOf(other, suffix, seeds))
    const above = this.#isForwarded ? [] : zoneEntries(suffix, seeds)
    return layRecords([...above, ...entries], seeds)
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
