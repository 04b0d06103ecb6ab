import type { Catalog } from '../catalog/catalog.ts'
import { journalKept } from '../journal/journal.ts'
import { Problem } from '../problems.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { compareValues, differenceOf } from './differences.ts'
import { unpackPayload } from './payload.ts'
import type { SnapshotDifferences } from './schema.ts'
import { viewOf } from './snapshot-view.ts'
import { journalExtent, newestWrites, type PackedSnapshot } from './store.ts'

/** Compares two snapshots of a device, and finds who changed what in the journal. Throws `conflict` for an unfinished one. */
export async function compareSnapshots(
  { db, catalog }: { readonly db: Kysely<Tables>; readonly catalog: Catalog },
  first: PackedSnapshot,
  second: PackedSnapshot,
): Promise<SnapshotDifferences> {
  for (const { state, id } of [first, second])
    if (state !== 'complete') throw new Problem('conflict', `Snapshot ${id} is not complete`)
  const { compared, changed } = compareValues(catalog, unpackPayload(first.payload), unpackPayload(second.payload))
  const range = { from: Math.min(first.begun_at, second.begun_at), until: Math.max(endOf(first), endOf(second)) }
  const names = changed.map(({ object }) => object.name)
  const writes = await newestWrites(db, first.device_id, Object.assign({ names }, range))
  const extent = await journalExtent(db, first.device_id)
  const isComplete = extent === undefined || extent.count < journalKept || extent.oldest <= range.from
  return {
    device_id: first.device_id,
    from: viewOf(first),
    to: viewOf(second),
    compared,
    differences: changed.map((one) => differenceOf(one, { writes, isComplete, later: laterOf(first, second) })),
  }
}

const endOf = (row: PackedSnapshot): number => row.finished_at ?? row.begun_at

/** Which of two snapshots was read later: neither, when one was resumed after the other one. */
function laterOf(first: PackedSnapshot, second: PackedSnapshot): 'first' | 'second' | 'neither' {
  const [begun, ended] = [second.begun_at - first.begun_at, endOf(second) - endOf(first)]
  if (begun >= 0 && ended >= 0) return 'second'
  return begun <= 0 && ended <= 0 ? 'first' : 'neither'
}
