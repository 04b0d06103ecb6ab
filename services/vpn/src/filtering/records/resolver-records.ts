import { reverseName } from '../../dns/reverse-name.ts'
import { typeNumber } from '../../dns/wire/code-names.ts'
import type { ResolverRecord } from '../../dns/resolver-files.ts'
import type { DnsRecordRow } from '../tables.ts'
import { recordData } from './record-value.ts'
import type { DnsRecordType } from './schema.ts'

/**
 * Returns the records as the resolver knows them, with those that lead from addresses back to names. A reverse name with records
 * gets none; of several names for one address the oldest counts.
 */
export function resolverRecords(rows: readonly DnsRecordRow[]): ResolverRecord[] {
  const owners = new Set(rows.filter((row) => row.below_only === 0).map(({ domain }) => domain))
  const records = rows.map((row) => resolverRecord({ ...row, belowOnly: row.below_only === 1 }))
  for (const row of rows) {
    if (row.reverse === 0 || row.below_only === 1 || (row.type !== 'A' && row.type !== 'AAAA')) continue
    const domain = reverseName(row.value)
    if (owners.has(domain)) continue
    owners.add(domain)
    records.push(resolverRecord({ domain, belowOnly: false, type: 'PTR', value: row.domain, ttl: row.ttl }))
  }
  return records
}

function resolverRecord(record: {
  readonly domain: string
  readonly belowOnly: boolean
  readonly type: DnsRecordType
  readonly value: string
  readonly ttl: number
}): ResolverRecord {
  const { domain, belowOnly, type, ttl } = record
  return { domain, belowOnly, type: typeNumber(type) ?? 0, ttl, data: recordData(record) }
}
