import type { Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import { encodeTimeSeries } from '../protocol/time-series.ts'
import { slavePayload, type SimulatedSlave, eventTablePayload, timeSeriesPayload } from './payloads.ts'
import type { Faults } from './faults.ts'
import { EnergyLog } from './energy-log.ts'
import { advancePlant, plantAt, type BatteryControl, type PlantState, plantRegisters } from './plant.ts'
import { RegisterFile } from './register-file.ts'
import type { SharedHouse } from './shared-house.ts'

interface InverterDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly seed: number
  /** Share of the sun that clouds may take, 0 to 1. */
  readonly clouds?: number | undefined
  /** Serial number; undefined for the default one. */
  readonly serial?: string
  readonly slaves: readonly SimulatedSlave[]
  /** Time zone that the clock of the inverter shows; it has no other idea of time. */
  readonly timeZone: string
  readonly faults: () => Faults
  /** The house that it shares with others; its own when it is missing. */
  readonly house?: SharedHouse | undefined
}

/** Rows of an answer of the log. */
const loggedRows = 60

/** One inverter without its wire: registers that follow a plant, and what writes to them do. */
export class SimulatedInverter {
  readonly registers: RegisterFile
  readonly #dependencies: InverterDependencies
  readonly #log: EnergyLog
  #plant: PlantState
  #nextSlave = 0

  constructor(dependencies: InverterDependencies) {
    const now = dependencies.timers.now()
    this.#dependencies = dependencies
    this.registers = new RegisterFile(dependencies.catalog, { seed: dependencies.seed, now })
    if (dependencies.serial !== undefined) this.registers.set('inverter_serial', dependencies.serial)
    const { seed, clouds } = dependencies
    this.#plant = plantAt(now, seed, clouds)
    this.#log = new EnergyLog(this.#plant, { seed, clouds })
    dependencies.house?.join({
      seed,
      clouds,
      plant: () => this.#plant,
      control: () => this.#control(),
      take: (plant, isLogged) => {
        this.#plant = plant
        if (isLogged) this.#log.record(plant)
      },
    })
    this.#follow()
  }

  get plant(): PlantState {
    return this.#plant
  }

  setSoc(soc: number): void {
    this.#plant = { ...this.#plant, soc }
  }

  /** Returns the payload that answers a read of the object; undefined for an object the inverter does not have. */
  answer(objectId: number): Uint8Array | undefined {
    const object = this.#dependencies.catalog.byId(objectId)
    if (object === undefined) return undefined
    if (object.structHint === 'slave_data') return this.#slave()
    this.#follow()
    return this.registers.payload(objectId)
  }

  /** Returns the payload that answers a time written to a logger object; undefined for every other object. */
  answerToWrite(objectId: number, payload: Uint8Array): Uint8Array | undefined {
    const object = this.#dependencies.catalog.byId(objectId)
    if (object?.response === undefined || payload.length !== 4) return undefined
    const before = new DataView(payload.buffer, payload.byteOffset).getInt32(0)
    if (object.response === 'event_table') return eventTablePayload(before)
    this.#follow()
    return this.#loggedPayload(object.name, before) ?? timeSeriesPayload(before, this.#dependencies.seed)
  }

  /** Returns the payload of an energy series, in watt-hours or watts; undefined for every other series. */
  #loggedPayload(name: string, before: number): Uint8Array | undefined {
    const { faults } = this.#dependencies
    const isEnergy = name !== 'logger_minutes_soc_log_ts'
    const factor = faults().loggerUnit === 'W' && isEnergy ? 12 : 1
    // Around a clock change the offset is not exactly this one; so it is with an inverter that shows an hour twice.
    const offset = this.#clockOffset(before * 1000)
    const points = this.#log.before(name, { at: before * 1000 - offset, count: loggedRows })
    return (
      points &&
      encodeTimeSeries({
        before,
        points: points.map(({ time, value }) => ({
          time: time + this.#clockOffset(time * 1000) / 1000,
          value: value * factor,
        })),
      })
    )
  }

  #clockOffset(ms: number): number {
    const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(this.#dependencies.timeZone)
    return zoned.offsetNanoseconds / 1_000_000
  }

  /** Lets a written value take effect, unless a fault is in the way. */
  write(objectId: number, payload: Uint8Array): void {
    const { catalog, faults, timers } = this.#dependencies
    const name = catalog.byId(objectId)?.name
    const { stuck, ignorePeriodWrite, writeDelayMs } = faults()
    if (name === undefined || stuck.includes(name) || (ignorePeriodWrite && name === 'pas_period')) return
    const apply = () => this.#apply(objectId, payload)
    if (writeDelayMs > 0) timers.after(writeDelayMs, apply)
    else apply()
  }

  #apply(objectId: number, payload: Uint8Array): void {
    this.#follow()
    const before = this.registers.get('com_service')
    if (!this.registers.write(objectId, payload)) return
    const code = this.registers.get('com_service')
    // An action runs when its code is written over a zero.
    if (before === 0 && code !== 0) this.#act(Number(code))
  }

  #act(code: number): void {
    const [startTest, stopTest, startCommission, stopCommission] = [13, 14, 15, 16]
    const calibrating = 0x8
    if (code === startTest || code === startCommission) this.registers.set('battery_status', calibrating)
    if (code === stopTest || code === stopCommission) this.registers.set('battery_status', 0)
  }

  #control(): BatteryControl {
    return {
      strategy: Number(this.registers.get('power_mng_soc_strategy')),
      setpoint: Number(this.registers.get('power_mng_battery_power_extern')),
      mayChargeFromGrid: this.registers.get('power_mng_use_grid_power_enable') === true,
    }
  }

  #follow(): void {
    const { timers, faults, house } = this.#dependencies
    const { frozenPlant, values } = faults()
    if (!frozenPlant) {
      const now = timers.now()
      if (house === undefined) this.#followAlone(now)
      else house.follow(now)
      this.registers.set('flash_rtc_time_stamp', Math.floor((now + this.#clockOffset(now)) / 1000))
      for (const [name, value] of Object.entries(plantRegisters(this.#plant)))
        this.registers.set(name, Math.fround(value))
    }
    for (const [name, value] of Object.entries(values)) this.registers.set(name, value)
  }

  #followAlone(now: number): void {
    const { seed, clouds } = this.#dependencies
    const control = this.#control()
    for (let at = EnergyLog.nextPoint(this.#plant.at); at <= now; at = EnergyLog.nextPoint(at)) {
      this.#plant = advancePlant(this.#plant, at, { seed, control, clouds })
      this.#log.record(this.#plant)
    }
    this.#plant = advancePlant(this.#plant, now, { seed, control, clouds })
  }

  #slave(): Uint8Array {
    const { slaves } = this.#dependencies
    const slave = slaves[this.#nextSlave % Math.max(1, slaves.length)] ?? {
      networkId: 1,
      name: 'alone',
      serial: 'SIM000000001',
    }
    this.#nextSlave += 1
    return slavePayload(slave)
  }
}
