import { EnergyLog } from './energy-log.ts'
import { batteryPower, isExternal, loadAt, settle, solarAt, type BatteryControl, type PlantState } from './plant.ts'

/** An inverter of the house: its state, and what takes the next one. */
export interface HouseInverter {
  readonly seed: number
  readonly clouds: number | undefined
  plant(): PlantState
  control(): BatteryControl
  /** @param isLogged the log has a point at this time */
  take(plant: PlantState, isLogged: boolean): void
}

/** Longest step, milliseconds. */
const stepMs = 60_000

/**
 * A house with several inverters behind one grid connection. The sensor of the first one sees the connection; the others have
 * none, and take what they give for what the house uses. Batteries that decide themselves follow one after the other.
 */
export class SharedHouse {
  readonly #inverters: HouseInverter[] = []

  join(inverter: HouseInverter): void {
    this.#inverters.push(inverter)
  }

  /** Brings all inverters to a time. */
  follow(now: number): void {
    const [first] = this.#inverters
    if (first === undefined) return
    for (let at = EnergyLog.nextPoint(first.plant().at); at <= now; at = EnergyLog.nextPoint(at))
      this.#advance(at, { isLogged: true })
    this.#advance(now, { isLogged: false })
  }

  #advance(until: number, { isLogged }: { isLogged: boolean }): void {
    const [first] = this.#inverters
    let at = first?.plant().at ?? until
    do {
      at = Math.min(until, at + stepMs)
      this.#step(at, isLogged && at === until)
    } while (at < until)
  }

  #step(at: number, isLogged: boolean): void {
    const [first] = this.#inverters
    const load = loadAt(at, first?.seed ?? 1)
    const suns = this.#inverters.map(({ seed, clouds }) => solarAt(at, seed, clouds))
    let missing = suns.reduce((rest, { solarA, solarB }) => rest - solarA - solarB, load)
    const controls = this.#inverters.map((inverter) => inverter.control())
    const batteries = controls.map(() => 0)
    for (const isCommanded of [true, false])
      for (const [index, inverter] of this.#inverters.entries()) {
        const control = controls[index]
        if (control === undefined || isExternal(control) !== isCommanded) continue
        batteries[index] = batteryPower(inverter.plant().soc, missing, control)
        missing -= batteries[index]
      }
    for (const [index, inverter] of this.#inverters.entries()) {
      const sun = suns[index] ?? { solarA: 0, solarB: 0 }
      const battery = batteries[index] ?? 0
      const grid = index === 0 ? missing : 0
      const given = sun.solarA + sun.solarB + battery
      inverter.take(settle(inverter.plant(), at, { ...sun, battery, grid, load: given + grid }), isLogged)
    }
  }
}
