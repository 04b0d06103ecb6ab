import { createHash } from 'node:crypto'
import type { NameSeeds } from '../dns/policy/name-hash.ts'
import { buildZoneTable, type ForwardedZone } from '../dns/policy/zone-table.ts'
import type { ResolverZone, Upstream } from '../dns/resolver-files.ts'

/** Forwarded zones, the groups of servers that are queried for them, and the table they are looked up in. */
export class ZonesInForce {
  /** Servers of each group; group 1 is the first. Zones with the same servers share one. */
  readonly groups: readonly (readonly Upstream[])[]
  readonly #zones: readonly ForwardedZone[]
  #made: { readonly seeds: NameSeeds; readonly memory: SharedArrayBuffer } | undefined

  constructor(zones: readonly ResolverZone[]) {
    const groups = new Map<string, readonly Upstream[]>()
    for (const { servers } of zones) groups.set(groupKey(servers), servers)
    const keys = [...groups.keys()]
    this.groups = [...groups.values()]
    this.#zones = zones.flatMap(({ names, servers }) => {
      const key = groupKey(servers)
      return names.map((domain) => ({ domain, group: keys.indexOf(key) + 1, scope: scopeOf(`${domain} ${key}`) }))
    })
  }

  /** The table for names hashed with these seeds. */
  table(seeds: NameSeeds): SharedArrayBuffer {
    if (this.#made?.seeds.first !== seeds.first || this.#made.seeds.second !== seeds.second)
      this.#made = { seeds, memory: buildZoneTable(this.#zones, seeds) }
    return this.#made.memory
  }
}

/** What tells one server from another. */
export const serverKey = ({ protocol, address, port, name, path }: Upstream): string =>
  [protocol, address, port, name, path].join(' ')

const groupKey = (servers: readonly Upstream[]): string => servers.map(serverKey).join('\n')

/** A number that stays the same as long as the zone and its servers do. */
const scopeOf = (text: string): number => createHash('sha256').update(text).digest().readInt32LE(0) || 1
