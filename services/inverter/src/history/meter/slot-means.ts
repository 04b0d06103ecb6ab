import { energiesOf, slotsPerHour, type Energies, type EnergyName, type Powers } from '../quantities.ts'

/** Powers at one time, watts; null for what the inverter does not measure. Import and discharge are positive. */
export interface Sample extends Powers {
  /** 0 to 1. */
  readonly soc: number | null
  /** Power that the inverter gives to the house and the grid; missing where nothing needs it. */
  readonly ac_w?: number | null
}

/** Samples from which on a slot counts as measured: half of those that come in five minutes. */
const minSamples = 5

type PowerName = keyof Powers
const powerNames = ['pv_w', 'load_w', 'grid_w', 'battery_w'] as const satisfies readonly PowerName[]

/** Sums of one power over the samples of a slot, both directions apart. */
interface PowerSum {
  count: number
  above: number
  below: number
}

/** The samples of one slot. */
export class SlotMeans {
  readonly #powers: Readonly<Record<PowerName, PowerSum>> = {
    pv_w: { count: 0, above: 0, below: 0 },
    load_w: { count: 0, above: 0, below: 0 },
    grid_w: { count: 0, above: 0, below: 0 },
    battery_w: { count: 0, above: 0, below: 0 },
  }
  readonly #ac: number[] = []
  #count = 0
  #soc: number | null = null

  add(sample: Sample): void {
    this.#count += 1
    this.#soc = sample.soc ?? this.#soc
    if (typeof sample.ac_w === 'number') this.#ac.push(sample.ac_w)
    for (const name of powerNames) {
      const watts = sample[name]
      if (watts === null) continue
      const sum = this.#powers[name]
      sum.count += 1
      if (watts > 0) sum.above += watts
      else sum.below -= watts
    }
  }

  get isMeasured(): boolean {
    return this.#count >= minSamples
  }

  /** Mean powers in whole watts. */
  powers(): Powers {
    const mean = (name: PowerName) => {
      const { count, above, below } = this.#powers[name]
      return count === 0 ? null : Math.round((above - below) / count)
    }
    return { pv_w: mean('pv_w'), load_w: mean('load_w'), grid_w: mean('grid_w'), battery_w: mean('battery_w') }
  }

  /** Energy given to the house and the grid, watt-hours; null unless every sample has its power. */
  ac(): number | null {
    if (this.#ac.length === 0 || this.#ac.length < this.#count) return null
    return Math.round(this.#ac.reduce((sum, watts) => sum + watts, 0) / this.#ac.length / slotsPerHour)
  }

  /** State of charge at the end, in thousandths. */
  soc(): number | null {
    return this.#soc === null ? null : Math.round(this.#soc * 1000)
  }

  /** Energies that follow from the powers. */
  energies(): Energies {
    const energy = (name: PowerName, side: 'above' | 'below') => {
      const sum = this.#powers[name]
      return sum.count === 0 ? null : sum[side] / sum.count / slotsPerHour
    }
    const all: Record<EnergyName, number | null> = {
      pv_wh: energy('pv_w', 'above'),
      load_wh: energy('load_w', 'above'),
      import_wh: energy('grid_w', 'above'),
      export_wh: energy('grid_w', 'below'),
      charge_wh: energy('battery_w', 'below'),
      discharge_wh: energy('battery_w', 'above'),
    }
    return energiesOf((name) => all[name])
  }
}
