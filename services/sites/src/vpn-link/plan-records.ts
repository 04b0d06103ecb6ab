import { isIP } from 'node:net'

/** A record of a name's address. */
export interface NameRecord {
  readonly name: string
  readonly type: 'A' | 'AAAA'
  readonly value: string
}

/** Tells records apart. */
export const recordKey = ({ name, type, value }: NameRecord): string => `${name} ${type} ${value}`

/** Returns the records that lead names to the addresses; addresses among the names have none. */
export function recordsOf(names: readonly string[], addresses: readonly string[]): NameRecord[] {
  return names
    .filter((name) => isIP(name) === 0)
    .flatMap((name) =>
      addresses.map((value) => ({ name, type: isIP(value) === 4 ? ('A' as const) : ('AAAA' as const), value })),
    )
}

/** A change of records that the VPN takes at once. */
export interface RecordBatch {
  readonly put: readonly NameRecord[]
  readonly remove: readonly NameRecord[]
}

/** Records of one batch, each of those to write and to remove. */
const batchSize = 1000

/**
 * Returns the changes that make the records wanted ones, in batches. Records that were `refused` are not tried again. A name that
 * moves to another address changes within one batch.
 */
export function planRecords(
  wanted: readonly NameRecord[],
  actual: ReadonlyMap<string, NameRecord>,
  refused: ReadonlyMap<string, string> = new Map(),
): RecordBatch[] {
  const keys = new Set(wanted.map(recordKey))
  const put = wanted.filter((record) => !actual.has(recordKey(record)) && !refused.has(recordKey(record)))
  const remove = [...actual].filter(([key]) => !keys.has(key)).map(([, record]) => record)
  const byName = Map.groupBy(
    [...put.map((record) => ({ record, isPut: true })), ...remove.map((record) => ({ record, isPut: false }))],
    ({ record }) => record.name,
  )
  const batches: { put: NameRecord[]; remove: NameRecord[] }[] = []
  for (const changes of byName.values()) {
    let batch = batches.at(-1)
    if (batch === undefined || Math.max(batch.put.length, batch.remove.length) + changes.length > batchSize)
      batches.push((batch = { put: [], remove: [] }))
    for (const { record, isPut } of changes) (isPut ? batch.put : batch.remove).push(record)
  }
  return batches
}
