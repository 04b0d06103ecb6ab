import { parseIsoTime } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { deviceProblem } from '../metrics/device-problem.ts'
import { readBatch } from '../metrics/read-batch.ts'
import { labelOf } from '../metrics/value.ts'
import { invalid, Problem } from '../problems.ts'
import { decodeEventTable, parameterChanged, type EventRow } from '../protocol/event-table.ts'
import { decodeTimeSeries, encodeHistoryRequest } from '../protocol/time-series.ts'
import type { DeviceEvent, DeviceEvents, DeviceHealth, DeviceHistory } from './schema.ts'

const faultWords = ['fault_0_flt', 'fault_1_flt', 'fault_2_flt', 'fault_3_flt']
const healthMetrics = [
  ...faultWords,
  'inverter_state',
  'battery_status',
  'battery_status2',
  'power_mng_bat_next_calib_date',
]

/** The inverter counts seconds in 32 bits with a sign; milliseconds since the epoch. */
const maxTimestamp = 0x7fff_ffff * 1000

interface HealthDependencies {
  readonly catalog: Catalog
  /** Throws `unknown_device`. */
  readonly device: (id: string) => DeviceRuntime
  readonly now: () => number
}

/** Health, events and history as the inverter reports them. */
export type Health = ReturnType<typeof createHealth>

/** Creates the readings of health, events and history. */
export function createHealth({ catalog, device, now }: HealthDependencies) {
  const objects = healthMetrics.map((name) => catalog.byName(name)).filter((object) => object !== undefined)

  /** Queries a logger object for its values before a time. */
  async function query({ networkId, link }: DeviceRuntime, object: CatalogObject, before: number): Promise<Uint8Array> {
    try {
      const payload = encodeHistoryRequest(Math.floor(before / 1000))
      return await link.query(object.objectId, payload, { address: networkId, priority: 'normal' })
    } catch (error) {
      throw deviceProblem(error)
    }
  }

  function millisecondsOf(before: string | undefined): number {
    const at = (before === undefined ? undefined : parseIsoTime(before)) ?? now()
    if (at < 0 || at > maxTimestamp) throw invalid('before', 'must be from 1970 to January 2038', 'invalid_parameter')
    return at
  }

  return {
    async read(deviceId: string): Promise<DeviceHealth> {
      const batch = await readBatch(device(deviceId), objects, false)
      const values = new Map(batch.metrics.map(({ name, value }) => [name, Number(value)]))
      const unavailable = batch.errors.map(({ name }) => name)
      return { device_id: deviceId, unavailable, ...describe(values, catalog, now()) }
    },
    /** Returns rows of the event table before a time, newest first. */
    async events(deviceId: string, before: string | undefined): Promise<DeviceEvents> {
      const runtime = device(deviceId)
      const object = catalog.objects.find(({ response }) => response === 'event_table')
      const at = millisecondsOf(before)
      const rows = object === undefined ? [] : decode(decodeEventTable, await query(runtime, object, at)).rows
      const events = rows.map((row) => eventOf(row, catalog)).sort((a, b) => b.at.localeCompare(a.at))
      return { device_id: deviceId, before: new Date(at).toISOString(), events }
    },
    /** Returns values that the inverter logged before a time. */
    async history(deviceId: string, name: string, before: string | undefined): Promise<DeviceHistory> {
      const runtime = device(deviceId)
      const object = catalog.byName(name)
      if (object?.response !== 'timeseries')
        throw new Problem('unknown_metric', `The inverter keeps no history named ${name}`)
      const at = millisecondsOf(before)
      const series = decode(decodeTimeSeries, await query(runtime, object, at))
      const points = series.points.map(({ time, value }) => ({ at: new Date(time * 1000).toISOString(), value }))
      return { device_id: deviceId, name, unit: object.unit, before: new Date(at).toISOString(), points }
    },
  }
}

function decode<T>(decoder: (payload: Uint8Array) => T, payload: Uint8Array): T {
  try {
    return decoder(payload)
  } catch (error) {
    throw new Problem('protocol_error', 'The device sent an invalid answer', { cause: error })
  }
}

function describe(
  values: ReadonlyMap<string, number>,
  catalog: Catalog,
  now: number,
): Omit<DeviceHealth, 'device_id' | 'unavailable'> {
  const word = (name: string) => {
    const raw = values.get(name)
    return raw === undefined ? null : { raw, flags: flagsOf(raw, catalog.batteryStatusLabels) }
  }
  const [status, status2] = [word('battery_status'), word('battery_status2')]
  const flags = new Set([...(status?.flags ?? []), ...(status2?.flags ?? [])])
  const code = values.get('inverter_state')
  const state = catalog.byName('inverter_state')
  const next = values.get('power_mng_bat_next_calib_date') ?? 0
  return {
    state: code === undefined || state === undefined ? null : { code, label: labelOf(state, code) },
    faults: faultsOf(
      faultWords.map((name) => values.get(name) ?? 0),
      catalog.faultLabels,
    ),
    battery: {
      status,
      status2,
      has_error: flags.has('error'),
      is_calibrating: flags.has('calibration_high') || flags.has('calibration_low'),
      is_balancing: flags.has('balancing'),
      next_calibration_at: next > 0 ? new Date(next * 1000).toISOString() : null,
      days_to_calibration: next > 0 ? Math.round((next - now / 1000) / 8640) / 10 : null,
    },
  }
}

/** Describes a row of the table: its type is the number of a fault bit, or that of a changed parameter. */
function eventOf(row: EventRow, catalog: Catalog): DeviceEvent {
  const label = catalog.eventLabels.get(row.type) ?? catalog.faultLabels[row.type] ?? `event_${row.type}`
  const isChange = row.type === parameterChanged
  const name = isChange ? (catalog.byId(row.e2)?.name ?? `0x${row.e2.toString(16).toUpperCase()}`) : ''
  return {
    type: row.type,
    label,
    at: new Date(row.time * 1000).toISOString(),
    until: !isChange && row.e2 > row.time ? new Date(row.e2 * 1000).toISOString() : null,
    parameter: isChange ? { name, old_raw: row.e3, new_raw: row.e4 } : null,
  }
}

/** Faults of the four fault words, by bit number: bit 0 of word 0 is 0, bit 31 of word 3 is 127. */
export function faultsOf(words: readonly number[], labels: readonly string[]): { bit: number; label: string }[] {
  return words.flatMap((word, index) =>
    bitsOf(word).map((bit) => {
      const number = 32 * index + bit
      return { bit: number, label: labels[number] ?? `fault_${number}` }
    }),
  )
}

/** Names of the bits of a status word; a bit without a name is reported by its mask. */
export function flagsOf(word: number, labels: ReadonlyMap<number, string>): string[] {
  return bitsOf(word).map((bit) => labels.get(2 ** bit) ?? `0x${(2 ** bit).toString(16)}`)
}

function bitsOf(word: number): number[] {
  return Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => ((word >>> bit) & 1) === 1)
}
