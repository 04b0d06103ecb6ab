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
  const range = { from: first.begun_at, until: second.finished_at ?? second.begun_at }
  const names = changed.map(({ object }) => object.name)
  const writes = await newestWrites(db, first.device_id, Object.assign({ names }, range))
  const extent = await journalExtent(db, first.device_id)
  const isComplete = extent === undefined || extent.count < journalKept || extent.oldest <= first.begun_at
  return {
    device_id: first.device_id,
    from: viewOf(first),
    to: viewOf(second),
    compared,
    differences: changed.map((one) => differenceOf(one, { writes, isComplete })),
  }
}
