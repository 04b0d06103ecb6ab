import type { Snapshot } from './schema.ts'
import type { SnapshotFacts } from './store.ts'

/** A stored snapshot as the API has it. */
export function viewOf(row: SnapshotFacts): Snapshot {
  return {
    id: row.id,
    device_id: row.device_id,
    origin: row.origin,
    state: row.state,
    detail: row.detail,
    name: row.name,
    note: row.note,
    taken_by: row.taken_by,
    begun_at: new Date(row.begun_at).toISOString(),
    finished_at: row.finished_at === null ? null : new Date(row.finished_at).toISOString(),
    firmware: row.firmware,
    serial: row.serial,
    read: row.read_count,
    failed: row.failed_count,
    total: row.total_count,
  }
}
