/** A battery as the optimiser counts. Energies in watt-hours, powers in watts at its terminals, efficiencies from 0 to 1. */
export interface Battery {
  readonly storedWh: number
  /** A plan does not discharge below this. */
  readonly reserveWh: number
  /** The inverter does not discharge below this in its automatic mode. */
  readonly emptyWh: number
  readonly fullWh: number
  /** A plan does not charge above this; the inverter may, by itself from the sun. */
  readonly chargeUntilWh: number
  readonly chargeW: number
  readonly dischargeW: number
  readonly chargeEfficiency: number
  readonly dischargeEfficiency: number
  /** Cost of wear for each kilowatt-hour that is discharged. */
  readonly wear: number
}

/** What the inverter does in a step. */
export type Action =
  /** The inverter decides: it stores surplus and covers the house. */
  | { readonly kind: 'automatic' }
  /** Nothing flows. */
  | { readonly kind: 'hold' }
  /** Charges with this power from the sun and the grid, up to a content. */
  | { readonly kind: 'charge'; readonly watts: number; readonly untilWh: number }
  /** Covers the house with at most this power. */
  | { readonly kind: 'discharge'; readonly watts: number }

/** A stretch of time. Prices are per kilowatt-hour, with every fee and tax; powers are means in watts. */
export interface Step {
  readonly hours: number
  readonly loadW: number
  readonly pvW: number
  readonly buy: number
  readonly sell: number
  /** Set by a person, by battery. */
  readonly wanted?: readonly (Action['kind'] | undefined)[] | undefined
}

/** A house with its batteries, and what is expected of its next hours. */
export interface Site {
  readonly steps: readonly Step[]
  readonly batteries: readonly Battery[]
  /** Largest power from the grid, watts; null for no limit. */
  readonly gridLimitW: number | null
  /** Largest power into the grid, watts; what is above it is not produced. */
  readonly feedInLimitW: number | null
  /** Value of a kilowatt-hour that is stored at the end. */
  readonly endValue: number
}

/** What the house takes that the sun does not give, watts; negative for a surplus. */
export const netLoad = ({ loadW, pvW }: Step): number => loadW - pvW
