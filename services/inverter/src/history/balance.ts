import type { EnergyCoverage } from '../tables.ts'
import { energiesOf, energyNames, type Energies } from './quantities.ts'
import type { EnergyBalance } from './schema.ts'

/** What a balance is made of. */
export interface BalanceInput {
  readonly energies: Energies
  /** Share of the time of which energies are known. */
  readonly known: number
  /** Content of the full battery, watt-hours. */
  readonly capacityWh: number | null
  /** State of charge before and at the end, in thousandths. */
  readonly socBefore: number | null
  readonly socAfter: number | null
}

/** Returns the balance of a period. A figure that needs what is not known is null. */
export function balanceOf({ energies, known, capacityWh, socBefore, socAfter }: BalanceInput): EnergyBalance {
  const { pv_wh: pv, load_wh: load, import_wh: imported, export_wh: exported } = energies
  const { charge_wh: charged, discharge_wh: discharged } = energies
  const isCapable = capacityWh !== null && capacityWh > 0
  const stored =
    isCapable && socBefore !== null && socAfter !== null ? ((socAfter - socBefore) / 1000) * capacityWh : null
  return {
    ...energies,
    self_sufficiency: shareOf(load, imported),
    own_use: shareOf(pv, exported),
    battery_cycles: isCapable && discharged !== null ? round(discharged / capacityWh) : null,
    battery_loss_wh:
      stored === null || charged === null || discharged === null ? null : Math.round(charged - discharged - stored),
    conversion_loss_wh:
      pv === null || load === null || imported === null || exported === null
        ? null
        : pv + imported + (discharged ?? 0) - load - exported - (charged ?? 0),
    known,
  }
}

/** Share of a whole that is not the part, 0 to 1; null without a whole. */
function shareOf(whole: number | null, part: number | null): number | null {
  if (whole === null || part === null || whole <= 0) return null
  return round(Math.min(1, Math.max(0, 1 - part / whole)))
}

const round = (value: number): number => Math.round(value * 1000) / 1000

/** Adds energies up; null where none is known. */
export const sumEnergies = (rows: readonly Energies[]): Energies =>
  energiesOf((name) => {
    const known = rows.map((row) => row[name]).filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
  })

/** Slots of which energies are known. */
export const knownOf = (row: EnergyCoverage): number => row.from_gateway + row.from_logger + row.from_counter

/** Returns the energies of a row alone. */
export const pickEnergies = (row: Energies): Energies => energiesOf((name) => row[name])

/** Returns true if a row has at least one energy. */
export const hasEnergies = (row: Energies): boolean => energyNames.some((name) => row[name] !== null)
