import { reverseName } from '../../dns/reverse-name.ts'
import { typeNumber } from '../../dns/wire/code-names.ts'
import type { ResolverRecord } from '../../dns/resolver-files.ts'
import type { DnsRecordRow } from '../tables.ts'
import { recordData } from './record-value.ts'
import type { DnsRecordType } from './schema.ts'

/**
 * Returns the records as the resolver knows them, with those that lead from addresses back to names. A reverse name with records
 * gets none; of several names for one address the oldest counts. `managed` are those that other services keep.
 */
export function resolverRecords(
  rows: readonly DnsRecordRow[],
  hosts: readonly HostRecord[] = [],
  managed: readonly HostRecord[] = [],
): ResolverRecord[] {
  const owners = new Set(rows.filter((row) => row.below_only === 0).map(({ domain }) => domain))
  const records = rows.map((row) => resolverRecord({ ...row, belowOnly: row.below_only === 1 }))
  // What the operator says of a name counts.
  for (const host of hosts) if (!owners.has(host.domain)) records.push(resolverRecord(host))
  records.push(...managed.map(resolverRecord))
  for (const row of rows) {
    if (row.reverse === 0 || row.below_only === 1 || (row.type !== 'A' && row.type !== 'AAAA')) continue
    const domain = reverseName(row.value)
    if (owners.has(domain)) continue
    owners.add(domain)
    records.push(resolverRecord({ domain, belowOnly: false, type: 'PTR', value: row.domain, ttl: row.ttl }))
  }
  return records
}

/** A name of this host for peers, below the suffix of their own names, and its addresses. */
export interface HostName {
  readonly label: string
  readonly addresses: readonly string[]
  /** Only for the clients whose tunnel this host has this IPv4 address in; missing for all others. */
  readonly gateway?: string | undefined
}

/** A record that does not come from an operator. */
export interface HostRecord {
  readonly domain: string
  readonly belowOnly: boolean
  readonly type: DnsRecordType
  readonly value: string
  readonly ttl: number
  readonly gateway?: string | undefined
}

/** Seconds for which a device may remember the address of this host. */
const hostTtl = 30

/** The records of names of this host. */
export const hostRecords = (names: readonly HostName[], suffix: string): HostRecord[] =>
  names.flatMap(({ label, addresses, gateway }) =>
    addresses.map((value) => {
      const type = value.includes(':') ? 'AAAA' : 'A'
      return { domain: `${label}.${suffix}`, belowOnly: false, type, value, ttl: hostTtl, gateway } as const
    }),
  )

function resolverRecord(record: HostRecord): ResolverRecord {
  const { domain, belowOnly, type, ttl, gateway } = record
  const everyone = { domain, belowOnly, type: typeNumber(type) ?? 0, ttl, data: recordData(record) }
  return gateway === undefined ? everyone : { ...everyone, gateway }
}
