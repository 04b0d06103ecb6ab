import type { PlantNow } from '../api.ts'
import { batteryLabel, directionOf, type EnergyFlow } from '../values/energy-flow.ts'
import { energy, percent, power, spell } from '../values/quantity.ts'

type Sum = PlantNow['pv']

/** The flow of the plant; what is not known of every inverter is not known of the plant. */
export function plantFlow({ pv, battery, grid, house, soc_percent: soc }: PlantNow): EnergyFlow {
  return {
    solar: pv.watts ?? undefined,
    house: house.watts ?? undefined,
    battery: battery.watts ?? undefined,
    grid: grid.watts ?? undefined,
    soc: soc === null ? undefined : soc / 100,
  }
}

/** Who is missing and what is known all the same, in a sentence; undefined while all are there. */
export function missingText({ inverters, away, pv, battery }: PlantNow): string | undefined {
  if (away.length === 0) return undefined
  const names = namesOf({ inverters }, away)
  const there = `${inverters.length - away.length} of ${inverters.length} inverters`
  const known = [partText('produced', pv), partText(batteryLabel(battery.known_watts ?? 0).toLowerCase(), battery)]
  const parts = known.filter((text) => text !== undefined).join(', ')
  return `No values from ${names}. ${there} answer${parts === '' ? '' : `: ${parts}`}.`
}

function partText(what: string, { known_watts: watts }: Sum): string | undefined {
  return watts === null ? undefined : `${spell(power(watts))} ${what}`
}

const namesOf = ({ inverters }: Pick<PlantNow, 'inverters'>, ids: readonly string[]): string =>
  inverters
    .filter(({ device_id: id }) => ids.includes(id))
    .map(({ display_name: name }) => name)
    .join(' and ')

/** What one inverter does, in words. */
export function inverterText(inverter: PlantNow['inverters'][number]): string {
  const { pv_w, battery_w, soc_percent, is_away, is_off_for_night } = inverter
  if (is_off_for_night) return 'It has no battery and switches off in the dark, so it counts as 0 W'
  if (is_away) return 'No values now'
  const texts = [
    pv_w === null ? undefined : `${spell(power(pv_w))} solar`,
    battery_w === null ? undefined : batteryText(battery_w),
    soc_percent === null ? undefined : `${Math.round(soc_percent)} % full`,
  ]
  return texts.filter((text) => text !== undefined).join(', ')
}

function batteryText(watts: number): string {
  const label = `battery ${batteryLabel(watts).toLowerCase()}`
  return directionOf(watts) === 'still' ? label : `${label} ${spell(power(watts))}`
}

/** How full all batteries are, in words; while some are not known, how full the others are. */
export function socText(now: PlantNow): string {
  const { soc_percent: soc, known_soc_percent: known, unknown_batteries: unknown } = now
  if (soc !== null) return spell(percent(soc / 100))
  if (known !== null) return `${spell(percent(known / 100))} without ${namesOf(now, unknown)}`
  return unknown.length > 0 ? (rangeText(now) ?? 'Not known') : 'No battery'
}

/** Batteries whose contents are not known are together as full as something between the least and the most full one. */
function rangeText({ inverters, unknown_batteries: unknown }: PlantNow): string | undefined {
  const batteries = inverters.filter(({ device_id: id }) => unknown.includes(id))
  const known = batteries.map(({ soc_percent: soc }) => soc).filter((soc) => soc !== null)
  if (known.length === 0 || known.length < batteries.length) return undefined
  const [least, most] = [Math.min(...known), Math.max(...known)].map((soc) => spell(percent(soc / 100)))
  return least === most ? least : `Between ${least} and ${most}`
}

/** What all batteries hold, in words; while some are not known, what the others hold. */
export function contentText(now: PlantNow): string {
  const { stored_wh: stored, known_stored_wh: known, capacity_wh: capacity, unknown_batteries: unknown } = now
  if (stored !== null && capacity !== null) return `${spell(energy(stored))} of ${spell(energy(capacity))}`
  if (known !== null) return `${spell(energy(known))} without ${namesOf(now, unknown)}`
  if (capacity !== null) return `Not known, of ${spell(energy(capacity))}`
  return unknown.length > 0 ? 'Not known' : 'No battery'
}

/** Why not all batteries are known, in sentences; undefined while they are, or while the inverters are away anyway. */
export function unknownText({ inverters, unknown_batteries: unknown }: PlantNow): string | undefined {
  const texts = inverters
    .filter(({ device_id: id, is_away: isAway }) => unknown.includes(id) && !isAway)
    .map(({ display_name: name, soc_percent: soc }) =>
      soc === null
        ? `${name} does not say how full its battery is.`
        : `${name} has not said yet how much its battery holds.`,
    )
  return texts.length === 0 ? undefined : texts.join(' ')
}
