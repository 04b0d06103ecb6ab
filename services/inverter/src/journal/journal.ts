import { Readable } from 'node:stream'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { JournalRow, Tables } from '../tables.ts'
import { JournalRecord, type JournalPage } from './schema.ts'
import { insertJournalRow, journalRows, trimJournal } from './store.ts'

/** Number of writes kept per device. */
export const journalKept = 50_000

/** Number of writes after which old ones are deleted. */
const trimEvery = 500

type Value = number | boolean | string | Readonly<Record<string, unknown>>

/** A write to record, with its values as they are. */
export interface JournalEntry extends Omit<JournalRow, 'id' | 'at' | 'old_value' | 'new_value' | 'readback_value'> {
  readonly old_value: Value | null
  readonly new_value: Value
  readonly readback_value: Value | null
}

/** Every write that was sent to a device, in order. Entries never change; the oldest are removed. */
export type Journal = ReturnType<typeof createJournal>

/** Creates the journal, which keeps about the latest 50,000 entries of each device. */
export function createJournal(database: Database<Tables>, clock: Clock) {
  const db = database.query
  let added = 0

  async function page(deviceId: string, range: { before?: number | undefined; limit: number }): Promise<JournalPage> {
    const entries = (await journalRows(db, deviceId, range)).map(recordOf)
    const last = entries.at(-1)
    return { device_id: deviceId, entries, next_before: entries.length < range.limit ? null : (last?.id ?? null) }
  }

  async function* lines(deviceId: string): AsyncGenerator<string> {
    yield `${columns.join(',')}\n`
    let before: number | undefined
    for (;;) {
      const { entries, next_before: next } = await page(deviceId, { before, limit: 500 })
      for (const entry of entries) yield `${columns.map((column) => quoted(entry[column])).join(',')}\n`
      if (next === null) return
      before = next
    }
  }

  return {
    async add(entry: JournalEntry): Promise<void> {
      const { old_value: old, new_value, readback_value: readback, ...facts } = entry
      const json = (value: Value | null) => (value === null ? null : JSON.stringify(value))
      const values = { old_value: json(old), new_value: JSON.stringify(new_value), readback_value: json(readback) }
      await insertJournalRow(db, { ...facts, ...values, at: clock.now() })
      added += 1
      if (added % trimEvery === 0) await trimJournal(db, entry.device_id, journalKept)
    },
    page,
    /** Returns the whole journal of a device as comma-separated values, newest first. */
    download: (deviceId: string): Readable => Readable.from(lines(deviceId)),
  }
}

/** Columns of the download, in the order of the record. */
const columns = JournalRecord.omit({ id: true }).keyof().options

/** Quotes a cell; one that begins like a formula is marked as text for spreadsheets. */
function quoted(value: JournalRecord[keyof JournalRecord]): string {
  const text = value === null ? '' : String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function recordOf(row: JournalRow & { id: number }): JournalRecord {
  const scalar = (text: string | null) => {
    const value: unknown = text === null ? null : JSON.parse(text)
    return typeof value === 'object' ? null : (value as number | boolean | string)
  }
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    metric: row.metric,
    old_value: scalar(row.old_value),
    new_value: scalar(row.new_value) ?? '',
    readback_value: scalar(row.readback_value),
    outcome: row.outcome,
    cause: row.cause as JournalRecord['cause'],
    caller: row.caller,
    operation_id: row.operation_id,
  }
}
