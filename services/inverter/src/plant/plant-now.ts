import type { PlantNow, PlantPart, PlantSum } from './schema.ts'

/** An inverter of a plant with what is not told of it: its power sensor, where that sees the grid connection, and its battery. */
export interface MeasuredPart extends PlantPart {
  /** Import is positive, watts. */
  readonly gridW: number | null
  /** True when it has given a state of charge before, also while it is away. */
  readonly toldOfBattery: boolean
}

/** Adds the inverters of a plant up. What one that is away gave last is no part of any sum. */
export function plantNow(displayName: string, parts: readonly MeasuredPart[]): PlantNow {
  const there = parts.filter(({ is_away: isAway }) => !isAway)
  const sum = (name: 'pv_w' | 'battery_w' | 'ac_w'): PlantSum =>
    sumOf(
      there.map((part) => part[name]),
      parts.length,
    )
  const meter = there.find(({ sees_grid: seesGrid, gridW }) => seesGrid && gridW !== null)
  const gridW = meter?.gridW ?? null
  const ac = sum('ac_w')
  const isWhole = ac.watts !== null && gridW !== null
  const content = contentOf(parts)
  return {
    display_name: displayName,
    inverters: parts.map(({ gridW: _gridW, toldOfBattery: _told, ...part }) => part),
    away: parts.filter(({ is_away: isAway }) => isAway).map(({ device_id: id }) => id),
    grid_meter: meter?.device_id ?? null,
    pv: sum('pv_w'),
    battery: sum('battery_w'),
    grid: { watts: gridW, known_watts: gridW, inverters: meter === undefined ? 0 : 1 },
    // A part of what the inverters give is no lower bound of it: one that charges from the grid takes.
    house: { watts: isWhole ? Math.max(0, (ac.watts ?? 0) + gridW) : null, known_watts: null, inverters: ac.inverters },
    ...content,
  }
}

function sumOf(values: readonly (number | null)[], count: number): PlantSum {
  const known = values.filter((value) => value !== null)
  const total = known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  return { watts: known.length === count ? total : null, known_watts: total, inverters: known.length }
}

type Content = Pick<
  PlantNow,
  'soc_percent' | 'stored_wh' | 'capacity_wh' | 'known_soc_percent' | 'known_stored_wh' | 'unknown_batteries'
>

/** What the batteries hold together, and what is known of them. */
function contentOf(parts: readonly MeasuredPart[]): Content {
  const batteries = parts.filter(hasBattery)
  const [only, second] = batteries
  // One battery needs no content for its state of charge.
  const isOne = only !== undefined && second === undefined
  const known = batteries.filter(({ soc_percent: soc, capacity_wh: capacity }) => soc !== null && (capacity ?? 0) > 0)
  const capacityOf = (some: readonly MeasuredPart[]) => some.reduce((sum, part) => sum + (part.capacity_wh ?? 0), 0)
  const [capacity, knownCapacity] = [capacityOf(batteries), capacityOf(known)]
  const stored = known.reduce((sum, part) => sum + ((part.soc_percent ?? 0) / 100) * (part.capacity_wh ?? 0), 0)
  const knownSoc = knownCapacity === 0 ? null : Math.round((stored / knownCapacity) * 1000) / 10
  const soc = isOne ? only.soc_percent : knownSoc
  const knownStored = known.length === 0 ? null : Math.round(stored)
  const unknown = batteries.filter((part) => !known.includes(part))
  return {
    soc_percent: isOne || unknown.length === 0 ? soc : null,
    stored_wh: unknown.length === 0 ? knownStored : null,
    capacity_wh: capacity === 0 ? null : capacity,
    known_soc_percent: soc,
    known_stored_wh: knownStored,
    unknown_batteries: unknown.map(({ device_id: id }) => id),
  }
}

/**
 * An inverter without a content that never gave a state of charge has no battery. Of one that never answered nothing is known, so
 * it may have one.
 */
const hasBattery = ({
  capacity_wh: capacity,
  soc_percent: soc,
  toldOfBattery,
  is_away: isAway,
  last_success_at: last,
}: MeasuredPart) => (capacity ?? 0) > 0 || (soc ?? 0) > 0 || toldOfBattery || (isAway && last === null)
