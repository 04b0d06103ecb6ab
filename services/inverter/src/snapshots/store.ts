import { sql, type Kysely } from 'kysely'
import type { ParameterSnapshotRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** A stored snapshot without its values. */
export type SnapshotFacts = Omit<ParameterSnapshotRow, 'payload' | 'id'> & { id: number }

const columns = [
  'id',
  'device_id',
  'origin',
  'state',
  'detail',
  'name',
  'note',
  'taken_by',
  'begun_at',
  'finished_at',
  'firmware',
  'serial',
  'read_count',
  'failed_count',
  'total_count',
] as const

/** A stored snapshot with its values. */
export type PackedSnapshot = SnapshotFacts & { payload: string }

/** Snapshots of a device, newest first. */
export async function snapshotRows(db: Db, deviceId: string): Promise<SnapshotFacts[]> {
  const rows = db.selectFrom('parameter_snapshots').select(columns).where('device_id', '=', deviceId)
  return (await rows.orderBy('id', 'desc').execute()) as SnapshotFacts[]
}

/** A snapshot with its values; undefined when the device has none of this id. */
export async function snapshotRow(db: Db, deviceId: string, id: number): Promise<PackedSnapshot | undefined> {
  const rows = db.selectFrom('parameter_snapshots').selectAll().where('device_id', '=', deviceId)
  return (await rows.where('id', '=', id).executeTakeFirst()) as PackedSnapshot | undefined
}

/** Stores a new snapshot and returns its id. */
export async function insertSnapshot(db: Db, row: Omit<ParameterSnapshotRow, 'id'>): Promise<number> {
  const { id } = await db.insertInto('parameter_snapshots').values(row).returning('id').executeTakeFirstOrThrow()
  return Number(id)
}

export async function updateSnapshot(
  db: Db,
  id: number,
  values: Partial<Omit<ParameterSnapshotRow, 'id' | 'device_id'>>,
): Promise<void> {
  await db.updateTable('parameter_snapshots').set(values).where('id', '=', id).execute()
}

export async function deleteSnapshots(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('parameter_snapshots').where('id', 'in', ids).execute()
}

/** Deletes everything about the parameters of a device. */
export async function deleteDeviceSnapshots(db: Db, deviceId: string): Promise<void> {
  await db.deleteFrom('parameter_snapshots').where('device_id', '=', deviceId).execute()
  await db.deleteFrom('parameter_notices').where('device_id', '=', deviceId).execute()
}

/** Marks what an earlier process was reading: it can be continued. */
export async function interruptReadings(db: Db, detail: string): Promise<void> {
  const unfinished = db.updateTable('parameter_snapshots').where('state', '=', 'reading')
  await unfinished.set({ state: 'interrupted', detail }).execute()
}

/** A write of a metric by this service. */
export interface WrittenValue {
  readonly metric: string
  /** JSON, as the others. */
  readonly new_value: string
  readonly readback_value: string | null
  /** True if the register read as before: the write had no effect yet. */
  readonly is_without_effect: boolean
  readonly at: number
  readonly cause: string
  readonly caller: string | null
}

/** The newest write with effect to each metric of a device in a time, and the newest without; newest first. */
export async function newestWrites(
  db: Db,
  deviceId: string,
  { names, from, until }: { names: readonly string[]; from: number; until: number },
): Promise<WrittenValue[]> {
  if (names.length === 0) return []
  const isWithoutEffect = sql<number>`outcome = 'unconfirmed' and coalesce(readback_value = old_value, false)`
  // SQLite takes the other columns from the row that holds the greatest id.
  const rows = await db
    .selectFrom('journal')
    .select(['metric', 'new_value', 'readback_value', 'at', 'cause', 'caller'])
    .select(({ fn }) => [fn.max('id').as('id'), isWithoutEffect.as('is_without_effect')])
    .where('device_id', '=', deviceId)
    .where('outcome', '!=', 'failed')
    .where('at', '>=', from)
    .where('at', '<=', until)
    .where('metric', 'in', names)
    .groupBy(['metric', isWithoutEffect])
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ is_without_effect: without, ...row }) => Object.assign(row, { is_without_effect: without === 1 }))
}

/** Time of the oldest write in the journal of a device and the number of its writes; undefined when it has none. */
export async function journalExtent(db: Db, deviceId: string): Promise<{ oldest: number; count: number } | undefined> {
  const row = await db
    .selectFrom('journal')
    .select(({ fn }) => [fn.min('at').as('oldest'), fn.countAll().as('count')])
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  return row?.oldest == null ? undefined : { oldest: row.oldest, count: Number(row.count) }
}

/** Times at which changes of parameters were told, by metric. */
export async function noticeTimes(db: Db, deviceId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom('parameter_notices').selectAll().where('device_id', '=', deviceId).execute()
  return new Map(rows.map(({ metric, told_at: at }) => [metric, at]))
}

export async function writeNotices(db: Db, deviceId: string, notices: { names: readonly string[]; at: number }) {
  if (notices.names.length === 0) return
  await db
    .insertInto('parameter_notices')
    .values(notices.names.map((metric) => ({ device_id: deviceId, metric, told_at: notices.at })))
    .onConflict((conflict) =>
      conflict.columns(['device_id', 'metric']).doUpdateSet((row) => ({ told_at: row.ref('excluded.told_at') })),
    )
    .execute()
}
