import type { EnergySlotRow } from '../../tables.ts'
import {
  energiesOf,
  energyNames,
  noPowers,
  slotsPerHour,
  type EnergyName,
  type Powers,
  type Slot,
} from '../quantities.ts'

/** An inverter of a plant, and where its history begins. */
export interface PlantMeter {
  readonly number: number
  readonly seesGrid: boolean
  /** Its first slot: before it there was no such inverter. */
  readonly firstSlot: number
  /** Content of the full battery, watt-hours; null without a battery, or while it is not known. */
  readonly capacityWh: number | null
}

/** Five minutes of one inverter. */
interface Part {
  readonly meter: PlantMeter
  readonly row: EnergySlotRow
}

/**
 * Adds up the same five minutes of all inverters of a plant. Undefined while something of an inverter is missing: a part would
 * look like a sum. The grid is that of the first inverter whose sensor sees it, and the house takes what the grid and all
 * inverters give.
 */
export function combineSlots(slot: number, meters: readonly PlantMeter[], rows: ReadonlyMap<number, EnergySlotRow>) {
  const present = meters.filter(({ firstSlot }) => firstSlot <= slot)
  const parts = present.flatMap((meter): Part[] => {
    const row = rows.get(meter.number)
    return row === undefined ? [] : [{ meter, row }]
  })
  if (parts.length === 0 || parts.length < present.length) return undefined
  return {
    slot,
    ...energiesOfPlant(parts),
    ...powersOfPlant(parts),
    soc: socOf(parts),
    ac_wh: null,
    source: Math.max(...parts.map(({ row }) => row.source)),
  } satisfies Slot
}

function energiesOfPlant(parts: readonly Part[]) {
  const grid = parts.find(({ meter, row }) => meter.seesGrid && row.import_wh !== null && row.export_wh !== null)?.row
  const [imported, exported] = [grid?.import_wh ?? null, grid?.export_wh ?? null]
  const given = parts.reduce((sum, { row }) => sum + acOf(row), 0)
  return energiesOf((name) => {
    if (name === 'import_wh') return imported
    if (name === 'export_wh') return exported
    if (name === 'load_wh')
      return imported === null || exported === null ? null : Math.max(0, imported - exported + given)
    return sumOf(parts.map(({ row }) => row[name]))
  })
}

/** What an inverter gave, watt-hours: as it was measured, or what sun and battery gave, with what is lost on the way. */
const acOf = ({ ac_wh: ac, pv_wh: pv, charge_wh: charge, discharge_wh: discharge }: EnergySlotRow): number =>
  ac ?? (pv ?? 0) + (discharge ?? 0) - (charge ?? 0)

function powersOfPlant(parts: readonly Part[]): Powers {
  const powers = parts.map(({ row }) => powersOf(row))
  if (powers.includes(undefined)) return noPowers
  const known = powers.filter((each) => each !== undefined)
  const meter = parts.findIndex(({ meter: { seesGrid }, row }) => seesGrid && row.grid_w !== null)
  const grid = known[meter]?.grid_w ?? null
  const given = parts.reduce((sum, { row }, index) => sum + acPowerOf(row, known[index] ?? noPowers), 0)
  return {
    pv_w: sumOf(known.map(({ pv_w: pv }) => pv)),
    battery_w: sumOf(known.map(({ battery_w: battery }) => battery)),
    grid_w: grid,
    load_w: grid === null ? null : Math.max(0, Math.round(grid + given)),
  }
}

/** Powers of five minutes; all zero for an inverter that was off, of which the counters say that nothing flowed. */
function powersOf(row: EnergySlotRow): Powers | undefined {
  const { pv_w, load_w, grid_w, battery_w } = row
  const isUnknown = [pv_w, load_w, grid_w, battery_w].every((watts) => watts === null)
  if (!isUnknown) return { pv_w, load_w, grid_w, battery_w }
  const own: readonly EnergyName[] = ['pv_wh', 'charge_wh', 'discharge_wh']
  const isStill = energyNames.some((name) => row[name] !== null) && own.every((name) => (row[name] ?? 0) === 0)
  return isStill ? { pv_w: 0, load_w: 0, grid_w: null, battery_w: 0 } : undefined
}

const acPowerOf = ({ ac_wh: ac }: EnergySlotRow, { pv_w: pv, battery_w: battery }: Powers): number =>
  ac === null ? (pv ?? 0) + (battery ?? 0) : ac * slotsPerHour

/** State of charge of all batteries together, by their content, in thousandths; null while one is not known. */
function socOf(parts: readonly Part[]): number | null {
  const batteries = parts.filter(({ meter }) => (meter.capacityWh ?? 0) > 0)
  const capacity = batteries.reduce((sum, { meter }) => sum + (meter.capacityWh ?? 0), 0)
  if (capacity === 0 || batteries.some(({ row }) => row.soc === null)) return null
  const stored = batteries.reduce((sum, { meter, row }) => sum + (row.soc ?? 0) * (meter.capacityWh ?? 0), 0)
  return Math.round(stored / capacity)
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}
