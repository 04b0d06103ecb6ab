import type { AnyDatabase, Db } from '../tables.ts'
import { sealedAt } from './destinations.ts'
import { listDestinationRows, updateDestinationRow } from './store.ts'

/** Seals every destination again, within a transaction; returns how many there were. */
export async function resealDestinations(
  query: AnyDatabase['query'],
  reseal: (sealed: string, place: string) => string,
): Promise<number> {
  const trx = query as Db
  const rows = await listDestinationRows(trx)
  for (const { id, target } of rows) await updateDestinationRow(trx, id, { target: reseal(target, sealedAt(id)) })
  return rows.length
}
