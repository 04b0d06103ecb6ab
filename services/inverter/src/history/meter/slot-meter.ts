import { energyNames, noPowers, slotAt, type EnergyName, type Slot } from '../quantities.ts'
import { distribute } from './distribute.ts'
import { beginCounting, growthOf, type CountedEnergy, type CounterReadings } from './energy-growth.ts'
import { SlotMeans, type Sample } from './slot-means.ts'

/** What a meter has to know after a restart. */
export interface MeterState {
  /** The newest slot that is stored, or that was passed without being measured. */
  readonly slot: number
  readonly energies: Readonly<Partial<Record<EnergyName, CountedEnergy>>>
}

/** Readings of all counters at one time; an energy without counters is missing. */
export interface MeterReading {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly counters: Readonly<Partial<Record<EnergyName, CounterReadings>>>
}

/** Longest gap whose energy is divided among its slots: the inverter's own log goes no further back. */
const maxGapSlots = 92 * 288

/** A time that is so many slots away from the newest stored one may be that of a wrong clock. */
const farSlots = 288

/** A clock that was put back by more than this many slots goes on from there. */
const maxBackSlots = 12

/** Watt-hours by which counters and measured power may differ in any case: counters of 32 bits move in steps. */
const maxUnmeasured = 100

const [gateway, counter] = [0, 2]

/**
 * Makes slots out of samples and counters of one inverter. Energies come from the counters, so nothing is lost while the service
 * or the line is down: the slots of a gap share what the counters say. Powers are means of the samples, and stand in for
 * counters that are missing or in doubt.
 */
export class SlotMeter {
  #state: MeterState | undefined
  #means = new Map<number, SlotMeans>()

  constructor(state: MeterState | undefined) {
    this.#state = state
  }

  get state(): MeterState | undefined {
    return this.#state
  }

  /** Returns true for a time that is more than a day before or after what is stored. */
  isFarFrom(at: number): boolean {
    return this.#state !== undefined && Math.abs(slotAt(at) - this.#state.slot) > farSlots
  }

  /** Takes a sample. Returns true if a slot before it is over, so that the counters are wanted. */
  add(at: number, sample: Sample): boolean {
    const slot = slotAt(at)
    const means = this.#means.get(slot) ?? new SlotMeans()
    this.#means.set(slot, means)
    means.add(sample)
    for (const known of this.#means.keys()) if (known < slot - maxGapSlots || known > slot) this.#means.delete(known)
    const stored = this.#state?.slot ?? -Infinity
    return slot - 1 > stored || slot < stored - maxBackSlots
  }

  /** Closes the slots before a reading of the counters and returns them, oldest first. */
  close(reading: MeterReading): Slot[] {
    const before = this.#state
    const last = slotAt(reading.at) - 1
    const isContinued = before !== undefined && last > before.slot && last - before.slot <= maxGapSlots
    const slots = isContinued ? Array.from({ length: last - before.slot }, (_, index) => before.slot + 1 + index) : []
    const measured = slots.map((slot) => {
      const means = this.#means.get(slot)
      return means?.isMeasured === true ? means : undefined
    })
    const parts = new Map<EnergyName, readonly (number | null)[]>()
    const energies: Partial<Record<EnergyName, CountedEnergy>> = {}
    for (const name of energyNames) {
      const found = followEnergy(before?.energies[name], {
        readings: reading.counters[name],
        at: reading.at,
        measured: measured.map((means) => means?.energies()[name] ?? null),
      })
      if (found.energy !== undefined) energies[name] = found.energy
      parts.set(name, found.parts)
    }
    this.#state = { slot: last, energies }
    for (const known of this.#means.keys()) if (known <= last) this.#means.delete(known)
    return slots.flatMap((slot, index) => {
      const energy = (name: EnergyName) => parts.get(name)?.[index] ?? null
      const means = measured[index]
      if (means === undefined && energyNames.every((name) => energy(name) === null)) return []
      return [slotOf(slot, means, energy)]
    })
  }
}

function slotOf(slot: number, means: SlotMeans | undefined, energy: (name: EnergyName) => number | null): Slot {
  const ac = means?.ac()
  return {
    slot,
    pv_wh: energy('pv_wh'),
    load_wh: energy('load_wh'),
    import_wh: energy('import_wh'),
    export_wh: energy('export_wh'),
    charge_wh: energy('charge_wh'),
    discharge_wh: energy('discharge_wh'),
    ...(means?.powers() ?? noPowers),
    soc: means?.soc() ?? null,
    ...(typeof ac === 'number' && { ac_wh: ac }),
    source: means === undefined ? counter : gateway,
  }
}

interface EnergyStep {
  readonly readings: CounterReadings | undefined
  readonly at: number
  /** Energies that the powers of each slot say; null for a slot that was not measured. */
  readonly measured: readonly (number | null)[]
}

/** Returns an energy after a reading, and its part of each slot. */
function followEnergy(before: CountedEnergy | undefined, { readings, at, measured }: EnergyStep) {
  const own = measured.map((energy) => (energy === null ? null : Math.round(energy)))
  if (readings === undefined && before === undefined) return { energy: undefined, parts: own }
  if (before === undefined) return { energy: beginCounting(readings ?? {}, at), parts: own }
  if (readings === undefined) return { energy: withProvisional(before, own), parts: own }
  const { energy, wattHours } = growthOf(before, readings, at)
  // What has grown in a gap that is too long, or while the clock was put back, belongs to no slot.
  if (measured.length === 0) return { energy, parts: [] }
  if (wattHours !== null)
    return { energy, parts: isBelievable(wattHours, measured) ? distribute(wattHours, measured) : own }
  const isDoubted = Object.values(energy.counters).some(({ doubt }) => doubt !== undefined)
  return { energy: isDoubted ? withProvisional(energy, own) : energy, parts: own }
}

/** Returns false if a counter grew far more than power was measured: it was set, such as back to where it had been. */
function isBelievable(wattHours: number, measured: readonly (number | null)[]): boolean {
  const known = measured.filter((energy) => energy !== null)
  if (known.length < measured.length) return true
  return wattHours <= 2 * known.reduce((sum, energy) => sum + energy, 0) + maxUnmeasured
}

const withProvisional = (energy: CountedEnergy, parts: readonly (number | null)[]): CountedEnergy => ({
  ...energy,
  provisional: energy.provisional + parts.reduce<number>((sum, part) => sum + (part ?? 0), 0),
})
