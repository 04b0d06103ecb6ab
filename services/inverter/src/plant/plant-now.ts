import type { PlantNow, PlantPart, PlantSum } from './schema.ts'

/** An inverter of a plant with what its power sensor says, where that sees the grid connection. */
export interface MeasuredPart extends PlantPart {
  /** Import is positive, watts. */
  readonly gridW: number | null
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
    inverters: parts.map(({ gridW: _gridW, ...part }) => part),
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

/** What the batteries hold together. An inverter without a content has no battery. */
function contentOf(parts: readonly MeasuredPart[]): Pick<PlantNow, 'soc_percent' | 'stored_wh' | 'capacity_wh'> {
  const batteries = parts.filter(({ capacity_wh: capacity }) => (capacity ?? 0) > 0)
  const capacity = batteries.reduce((sum, part) => sum + (part.capacity_wh ?? 0), 0)
  if (capacity === 0) return { soc_percent: null, stored_wh: null, capacity_wh: null }
  // An inverter that says how full its battery is, but not how large, leaves the whole unknown.
  const isKnown = parts.every(({ capacity_wh: own, soc_percent: soc }) =>
    (own ?? 0) > 0 ? soc !== null : (soc ?? 0) === 0,
  )
  if (!isKnown) return { soc_percent: null, stored_wh: null, capacity_wh: capacity }
  const stored = batteries.reduce((sum, part) => sum + ((part.soc_percent ?? 0) / 100) * (part.capacity_wh ?? 0), 0)
  return {
    soc_percent: Math.round((stored / capacity) * 1000) / 10,
    stored_wh: Math.round(stored),
    capacity_wh: capacity,
  }
}
