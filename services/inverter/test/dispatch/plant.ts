import type { Timers } from '@hearth/runtime'
import type { DeviceGateway } from '../../src/dispatch/measure.ts'
import type { WriteCause } from '../../src/metrics/device-writer.ts'
import { Problem } from '../../src/problems.ts'

/** One access to the device, as it ended. */
export interface Access {
  readonly kind: 'read' | 'write'
  readonly name: string
  readonly value?: number | boolean
  readonly cause?: WriteCause
}

/** Fault of an access: none, throw before or after it took effect, or answer something else. */
export type Hindrance = (access: Access, index: number) => 'unreachable' | 'unconfirmed' | number | undefined

const floats = new Set(['power_mng_soc_target_set', 'power_mng_battery_power_extern', 'battery_soc', 'grid_power'])

/**
 * A house with a battery behind the gateway's port: registers keep what is written with the device's precision, and the
 * battery follows its setpoint while the strategy is external.
 */
export class Plant implements DeviceGateway {
  readonly deviceId: string
  readonly registers: Record<string, number | boolean> = {
    power_mng_soc_strategy: 4,
    power_mng_soc_target_set: 0.5,
    power_mng_battery_power_extern: 123.5,
    power_mng_use_grid_power_enable: false,
  }
  soc = 0.5
  loadW = 1500
  pvW = 0
  /** What other inverters give to the house, watts. */
  othersW: () => number = () => 0
  /** Its power sensor sees nothing of the grid connection. */
  isBlind = false
  batteryStatus = 0
  /** Set to freeze the readings. */
  frozen: { grid: number; battery: number } | undefined
  /** Age of every answer, milliseconds. */
  ageMs = 0
  hinder: Hindrance = () => undefined
  /** Called when the firmware is asked for. */
  identified: () => void = () => undefined
  readonly accesses: Access[] = []
  /** Maximum number of concurrent accesses so far. */
  maxConcurrent = 0
  latencyMs = 20
  readonly #timers: Timers
  #underWay = 0

  constructor(deviceId: string, timers: Timers) {
    this.deviceId = deviceId
    this.#timers = timers
  }

  get writes(): Access[] {
    return this.accesses.filter(({ kind }) => kind === 'write')
  }

  get batteryW(): number {
    const isExternal = this.registers['power_mng_soc_strategy'] === 2
    return this.frozen?.battery ?? (isExternal ? Number(this.registers['power_mng_battery_power_extern']) : 0)
  }

  get gridW(): number {
    if (this.isBlind) return 0
    return this.frozen?.grid ?? this.loadW - this.pvW - this.batteryW - this.othersW()
  }

  identify(): Promise<void> {
    this.identified()
    return Promise.resolve()
  }

  async readFresh(name: string): Promise<{ value: number | boolean | string; at: number }> {
    const other = await this.#access({ kind: 'read', name })
    if (other !== undefined) return { value: other, at: this.#timers.monotonic() }
    const measured = { battery_soc: this.soc, grid_power: this.gridW, battery_power: this.batteryW }
    const value = { ...this.registers, ...measured, battery_status: this.batteryStatus }[name]
    if (value === undefined) throw new Error(`the plant has no ${name}`)
    return { value, at: this.#timers.monotonic() - this.ageMs }
  }

  async writeConfirmed(name: string, value: number | boolean, cause: WriteCause): Promise<number | boolean | string> {
    const other = await this.#access({ kind: 'write', name, value, cause })
    if (!(name in this.registers)) throw new Error(`the plant has no register ${name}`)
    this.registers[name] = typeof value === 'number' && floats.has(name) ? Math.fround(value) : value
    if (other === undefined) return this.registers[name]
    throw new Problem('write_outcome_unknown', 'not confirmed', { members: { readback_value: null } })
  }

  async #access(access: Access): Promise<number | undefined> {
    this.#underWay += 1
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#underWay)
    try {
      const hindrance = this.hinder(access, this.accesses.length)
      this.accesses.push(access)
      await this.#timers.delay(this.latencyMs)
      if (hindrance === 'unreachable') throw new Problem('device_unreachable', 'the device does not answer')
      return hindrance === 'unconfirmed' ? (access.kind === 'write' ? 0 : undefined) : hindrance
    } finally {
      this.#underWay -= 1
    }
  }
}
