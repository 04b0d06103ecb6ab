/** The energies that are kept of every stretch of time, as they are named in the database and on the wire. */
export const energyNames = ['pv_wh', 'load_wh', 'import_wh', 'export_wh', 'charge_wh', 'discharge_wh'] as const

/** Name of an energy: produced, used, from and to the grid, into and out of the battery. */
export type EnergyName = (typeof energyNames)[number]

/** Energies in watt-hours; null where nothing measures them. */
export type Energies = Readonly<Record<EnergyName, number | null>>

/** Energies of a stretch of time of which nothing is known. */
export const noEnergies: Energies = {
  pv_wh: null,
  load_wh: null,
  import_wh: null,
  export_wh: null,
  charge_wh: null,
  discharge_wh: null,
}

/** Makes energies by asking for each. */
export const energiesOf = (value: (name: EnergyName) => number | null): Energies =>
  Object.fromEntries(energyNames.map((name) => [name, value(name)])) as Energies

/** Length of a slot, the shortest stretch of time that is kept, milliseconds. */
export const slotMs = 300_000

/** Slots of an hour. */
export const slotsPerHour = 12

/** Begin of a slot, milliseconds since the epoch. */
export const startOfSlot = (slot: number): number => slot * slotMs

/** Number of the slot that a time is in, counted from the epoch. */
export const slotAt = (ms: number): number => Math.floor(ms / slotMs)

/** Origin of a stored slot: measured by this service, logged by the inverter, or known from its counters alone. */
export const sources = ['gateway', 'logger', 'counter'] as const
export type SlotSource = (typeof sources)[number]

/** The powers of a slot are means in watts; `grid_w` counts import positive, `battery_w` discharge. */
export interface Powers {
  readonly pv_w: number | null
  readonly load_w: number | null
  readonly grid_w: number | null
  readonly battery_w: number | null
}

/** Powers of a slot that nothing measured. */
export const noPowers: Powers = { pv_w: null, load_w: null, grid_w: null, battery_w: null }

/** What is known of five minutes of one inverter. */
export interface Slot extends Energies, Powers {
  readonly slot: number
  /** State of charge in thousandths. */
  readonly soc: number | null
  /** Given to the house and the grid, negative for what was taken from it; measured with inverters of a plant alone. */
  readonly ac_wh?: number | null
  /** Place in `sources`; a lower one replaces a higher. */
  readonly source: number
}
