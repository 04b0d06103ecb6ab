import { holdsNoNumber } from '../metrics/device-problem.ts'
import { Problem } from '../problems.ts'
import type { WriteCause } from '../metrics/device-writer.ts'
import { Snapshot } from './record.ts'
import { readings, registers } from './registers.ts'

/** A device as dispatch needs it: fresh values and confirmed writes. */
export interface DeviceGateway {
  /** Reads from the device, never the cache, in API units. `at` is in monotonic milliseconds. Throws a `Problem`. */
  readFresh(name: string): Promise<{ value: number | boolean | string; at: number }>
  /** Resolves when the firmware on the current connection is known and stored. Throws a `Problem`. */
  identify(): Promise<void>
  /** Writes a value and reads it back until both agree. Throws `write_outcome_unknown` or a problem of the device. */
  writeConfirmed(name: string, value: number | boolean, cause: WriteCause): Promise<number | boolean | string>
}

type Name = keyof typeof readings

/** Readings of the control loop: state of charge as a ratio, powers in watts as the device counts. */
export type Measurement = Readonly<Record<Name, number>>

/** Oldest a reading may be, milliseconds. */
const maxAgeMs: Record<Name, number> = { soc: 15_000, grid: 5000, battery: 5000 }
/** Time in which readings must change after a large change of the setpoint, milliseconds. */
const frozenMs = 30_000
/** A change of the setpoint that must show in the readings, watts. */
const visibleW = 200

/** Powers that follow a change of the setpoint. */
const powers = ['battery', 'grid'] as const
type Power = (typeof powers)[number]

/** Failures after which the previous reading may be used for a short time. */
const transientCodes = new Set([
  'device_unreachable',
  'device_timeout',
  'queue_full',
  'queue_timeout',
  'device_maintenance',
])

/** Readings that are too old or do not change. */
export class StaleReadings extends Error {
  override readonly name = 'StaleReadings'
}

/** The measurements of one operation, newest first. */
export class Meter {
  readonly #monotonic: () => number
  /** What the grid power is read from; the device itself when it is undefined. */
  readonly #gridMeter: (() => Pick<DeviceGateway, 'readFresh'>) | undefined
  readonly #last = new Map<Name, { value: number; at: number }>()
  /** The powers from before a large change of the setpoint, until they move. */
  readonly #before = new Map<Power, { value: number; at: number }>()

  constructor(monotonic: () => number, gridMeter?: () => Pick<DeviceGateway, 'readFresh'>) {
    this.#monotonic = monotonic
    this.#gridMeter = gridMeter
  }

  /**
   * Measures. Throws `protocol_error` for what cannot be, and `StaleReadings` when something is too old: its cause says why
   * there is nothing newer. `proceed` is called between two readings and throws to give up.
   */
  async read(gateway: DeviceGateway, proceed: () => void): Promise<Measurement> {
    let failure: unknown
    for (const name of ['soc', 'battery', 'grid'] as const) {
      proceed()
      try {
        const source = name === 'grid' ? (this.#gridMeter?.() ?? gateway) : gateway
        const { value, at } = await source.readFresh(readings[name])
        this.#last.set(name, { value: checked(name, value), at })
      } catch (error) {
        if (!(error instanceof Problem && transientCodes.has(error.code))) throw error
        failure = error
      }
    }
    const measured = {
      soc: this.#fresh('soc', failure),
      grid: this.#fresh('grid', failure),
      battery: this.#fresh('battery', failure),
    }
    this.#refuseFrozen(measured)
    return measured
  }

  /** Records a change of the setpoint, watts: the readings have to follow. */
  recordChange(watts: number): void {
    if (Math.abs(watts) < visibleW) return
    for (const name of powers) {
      const value = this.#last.get(name)?.value
      if (value !== undefined && !this.#before.has(name)) this.#before.set(name, { value, at: this.#monotonic() })
    }
  }

  #fresh(name: Name, failure: unknown): number {
    const reading = this.#last.get(name)
    if (reading === undefined || this.#monotonic() - reading.at > maxAgeMs[name])
      throw new StaleReadings(`there is no fresh ${readings[name]}`, { cause: failure })
    return reading.value
  }

  /** One inverter's powers freeze together; a grid power of another inverter stands still while the battery moves. */
  #refuseFrozen(measured: Measurement): void {
    const moved = powers.filter((name) => this.#before.get(name)?.value !== measured[name])
    if (this.#gridMeter === undefined && moved.length > 0) this.#before.clear()
    for (const name of moved) this.#before.delete(name)
    for (const [name, { at }] of this.#before)
      if (this.#monotonic() - at >= frozenMs)
        throw new StaleReadings(`${readings[name]} stands still although the setpoint changed`)
  }
}

/** State of charge from the device, a ratio. Throws `protocol_error` when it is none. */
export async function readSoc(gateway: DeviceGateway): Promise<number> {
  return checked('soc', (await gateway.readFresh(readings.soc)).value)
}

function checked(name: Name, value: number | boolean | string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new Problem('protocol_error', `${readings[name]} is no number`)
  if (name === 'soc' && (value < 0 || value > 1))
    throw new Problem('protocol_error', `${readings.soc} is outside 0 to 100 percent`)
  return value
}

/** Reads all four registers as they are now; throws `dispatch_snapshot_stale` unless every one of them is fresh. */
export async function readSnapshot(gateway: DeviceGateway, monotonic: () => number): Promise<Snapshot> {
  const begun = monotonic()
  const read = async <Member extends keyof Snapshot>(member: Member): Promise<Snapshot[Member]> => {
    const name = registers[member]
    const reading = await gateway.readFresh(name).catch((error: unknown) => {
      throw stale(name, holdsNoNumber(error) ? 'holds no number; write one to it first' : 'could not be read', error)
    })
    if (reading.at < begun) throw stale(name, 'is not fresh')
    const { success, data } = Snapshot.shape[member].safeParse(reading.value)
    if (!success) throw stale(name, 'has an invalid value')
    return data as Snapshot[Member]
  }
  return {
    strategy: await read('strategy'),
    socTarget: await read('socTarget'),
    gridCharge: await read('gridCharge'),
    setpoint: await read('setpoint'),
  }
}

const stale = (name: string, what: string, cause?: unknown) =>
  new Problem('dispatch_snapshot_stale', `${name} ${what}; nothing was changed`, { cause })
