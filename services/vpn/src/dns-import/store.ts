import type { Kysely } from 'kysely'
import { subnet4, subnet6 } from '../interfaces/subnet.ts'
import type { Tables } from '../tables.ts'

/** A device or an interface that a profile can be assigned to. */
export interface ImportTarget {
  readonly kind: 'peer' | 'interface'
  /** Of an interface its name. */
  readonly id: string
  /** The name as it is compared. */
  readonly nameKey: string
  readonly interface: string
  /** Its addresses, or the networks of an interface, in canonical CIDR form. */
  readonly networks: readonly string[]
  readonly hasProfile: boolean
}

/** Reads what profiles can be assigned to. */
export async function readTargets(db: Kysely<Tables>): Promise<ImportTarget[]> {
  const taken = await db.selectFrom('dns_profile_targets').select(['peer_id', 'interface']).execute()
  const [peers, names] = [new Set(taken.map((row) => row.peer_id)), new Set(taken.map((row) => row.interface))]
  const interfaces = await db.selectFrom('interfaces').select(['name', 'address', 'address6']).execute()
  const rows = await db.selectFrom('peers').select(['id', 'name_key', 'interface', 'ip', 'ipv6']).execute()
  return [
    ...interfaces.map(({ name, address, address6 }) => ({
      kind: 'interface' as const,
      id: name,
      nameKey: name,
      interface: name,
      networks: [subnet4(address).cidr, ...(address6 === null ? [] : [subnet6(address6).cidr])],
      hasProfile: names.has(name),
    })),
    ...rows.map(({ id, name_key: nameKey, interface: on, ip, ipv6 }) => ({
      kind: 'peer' as const,
      id,
      nameKey,
      interface: on,
      networks: [`${ip}/32`, ...(ipv6 === null ? [] : [`${ipv6}/128`])],
      hasProfile: peers.has(id),
    })),
  ]
}

/** Reads the names of all profiles as they are compared. */
export async function profileNames(db: Kysely<Tables>): Promise<Set<string>> {
  const rows = await db.selectFrom('dns_profiles').select('name_key').execute()
  return new Set(rows.map((row) => row.name_key))
}

/** Reads the ids of all lists by their URLs. */
export async function listIdsByUrl(db: Kysely<Tables>): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('lists').select(['id', 'url']).execute()
  return new Map(rows.map(({ id, url }) => [url, id]))
}
