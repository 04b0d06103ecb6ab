import { z } from 'zod'
import { JournalRecord } from '../journal/schema.ts'
import { DeviceParams } from '../metrics/schema.ts'

/** Most snapshots with a name that are kept of one inverter. */
export const maxNamed = 100

const timestamp = z.iso.datetime()
const name = z.string().trim().max(80)
const note = z.string().trim().max(1000)
const scalar = z.union([z.number(), z.boolean(), z.string()])

/** Settings of automatic snapshots, and the number that is kept. */
export const SnapshotSettings = z
  .strictObject({
    after_firmware: z.boolean().meta({ description: 'Take one when the inverter reports another firmware' }),
    daily: z.boolean().meta({ description: 'Take one a day' }),
    kept: z.int().min(2).max(200).meta({ description: 'Snapshots without a name that are kept of each inverter' }),
  })
  .meta({ id: 'SnapshotSettings' })
export type SnapshotSettings = z.infer<typeof SnapshotSettings>

/** Reason for a snapshot; `current` holds what was read last for a comparison and is replaced by the next one. */
export const SnapshotOrigin = z.enum(['manual', 'firmware', 'daily', 'current'])
export type SnapshotOrigin = z.infer<typeof SnapshotOrigin>

/** A snapshot of the parameters of an inverter, without the values. */
export const Snapshot = z
  .object({
    id: z.int(),
    device_id: z.string(),
    origin: SnapshotOrigin,
    state: z.enum(['reading', 'complete', 'interrupted']),
    detail: z.string().nullable().meta({ description: 'Reason why it is interrupted' }),
    name: z.string().nullable(),
    note: z.string().nullable(),
    taken_by: z.string().nullable(),
    begun_at: timestamp,
    finished_at: timestamp.nullable(),
    firmware: z.string().nullable(),
    serial: z.string().nullable(),
    read: z.int().min(0).meta({ description: 'Parameters with a value' }),
    failed: z.int().min(0).meta({ description: 'Parameters that the firmware does not answer' }),
    total: z.int().min(0),
  })
  .meta({ id: 'Snapshot' })
export type Snapshot = z.infer<typeof Snapshot>

/** The reading of a snapshot that is under way. */
export const SnapshotProgress = z
  .object({
    snapshot_id: z.int(),
    origin: SnapshotOrigin,
    done: z.int().min(0),
    total: z.int().min(0),
    remaining_seconds: z.int().min(0),
    waiting_for: z.string().nullable().meta({ description: 'Reason why nothing is read at present' }),
  })
  .meta({ id: 'SnapshotProgress' })
export type SnapshotProgress = z.infer<typeof SnapshotProgress>

/** The snapshots of an inverter, newest first. */
export const SnapshotList = z
  .object({
    device_id: z.string(),
    firmware: z.string().nullable(),
    settings: SnapshotSettings,
    parameters: z.int().meta({ description: 'Parameters that a snapshot reads' }),
    estimated_seconds: z.int().meta({ description: 'Time that a snapshot is expected to take' }),
    progress: SnapshotProgress.nullable(),
    snapshots: z.array(Snapshot),
  })
  .meta({ id: 'SnapshotList' })
export type SnapshotList = z.infer<typeof SnapshotList>

export const SnapshotCreate = z
  .strictObject({
    origin: z
      .enum(['manual', 'current'])
      .default('manual')
      .meta({ description: '`current` reads the parameters for a comparison and keeps them until the next time' }),
    name: name.default(''),
    note: note.default(''),
  })
  .meta({ id: 'SnapshotCreate' })
export type SnapshotCreate = z.output<typeof SnapshotCreate>

export const SnapshotChange = z
  .strictObject({ name: name.optional(), note: note.optional() })
  .meta({ id: 'SnapshotChange' })
export type SnapshotChange = z.output<typeof SnapshotChange>

const kind = z.enum(['setting', 'fact']).meta({
  description: 'A fact is a version, a serial number or an address: it changes with an update or another part',
})

/** One parameter of a snapshot. */
export const SnapshotValue = z
  .object({
    name: z.string(),
    vendor_name: z.string(),
    group: z.string(),
    kind,
    unit: z.string().nullable(),
    value: scalar.nullable(),
    label: z.string().nullable().meta({ description: 'Word of an enumerated value' }),
    failure: z.enum(['unanswered', 'invalid']).nullable(),
  })
  .meta({ id: 'SnapshotValue' })
export type SnapshotValue = z.infer<typeof SnapshotValue>

/** A snapshot with its values. */
export const SnapshotContent = Snapshot.extend({ values: z.array(SnapshotValue) }).meta({ id: 'SnapshotContent' })
export type SnapshotContent = z.infer<typeof SnapshotContent>

/** The write by this service that explains a difference. */
export const SnapshotWrite = JournalRecord.pick({ at: true, cause: true, caller: true }).meta({ id: 'SnapshotWrite' })
export type SnapshotWrite = z.infer<typeof SnapshotWrite>

/** One parameter that differs between two snapshots. */
export const SnapshotDifference = SnapshotValue.omit({ value: true, label: true, failure: true })
  .extend({
    before: scalar.nullable().meta({ description: 'Null when the first snapshot has no value' }),
    before_label: z.string().nullable(),
    after: scalar.nullable().meta({ description: 'Null when the second snapshot has no value' }),
    after_label: z.string().nullable(),
    origin: z.enum(['written_here', 'not_ordered', 'unknown', 'fact', 'only_once']).meta({
      description:
        '`written_here`: this service wrote it; `not_ordered`: nobody did here; `unknown`: the journal does not go back as far; `fact`: changes by itself; `only_once`: one of the snapshots has no value',
    }),
    write: SnapshotWrite.nullable(),
  })
  .meta({ id: 'SnapshotDifference' })
export type SnapshotDifference = z.infer<typeof SnapshotDifference>

/** Two snapshots, and what differs between them. */
export const SnapshotDifferences = z
  .object({
    device_id: z.string(),
    from: Snapshot,
    to: Snapshot,
    compared: z.int().meta({ description: 'Parameters that both have a value of' }),
    differences: z.array(SnapshotDifference),
  })
  .meta({ id: 'SnapshotDifferences' })
export type SnapshotDifferences = z.infer<typeof SnapshotDifferences>

const id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

export const SnapshotParams = DeviceParams.extend({ snapshot_id: id })

export const DifferencesQuery = z.strictObject({
  from: z.union([id, z.literal('previous_firmware')]).meta({
    description: 'A snapshot, or `previous_firmware` for the newest one under another firmware than the second has',
  }),
  to: z
    .union([id, z.literal('newest')])
    .default('newest')
    .meta({ description: 'A snapshot, or `newest` for what was read last' }),
})
export type DifferencesQuery = z.output<typeof DifferencesQuery>
