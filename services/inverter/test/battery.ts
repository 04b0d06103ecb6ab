import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { decodeValue, type WireValue } from '../src/protocol/wire-value.ts'
import type { Simulator } from '../src/simulator/simulator.ts'
import { catalog, main, startGateway, type Reply, type Starting, type TestGateway } from './in-process.ts'

export const register = {
  strategy: 'power_mng_soc_strategy',
  target: 'power_mng_soc_target_set',
  gridCharge: 'power_mng_use_grid_power_enable',
  setpoint: 'power_mng_battery_power_extern',
} as const

/** Settings of the owner; none of them equals a value that an operation writes. */
export const ownSettings: Readonly<Record<string, WireValue>> = {
  [register.strategy]: 5,
  [register.target]: Math.fround(0.45),
  [register.gridCharge]: false,
  [register.setpoint]: 250,
}

export const dispatchPath = main('/battery/dispatch')

/** A winter evening: no sun, and a house that takes from the grid whatever the time of the test. */
export const evening = Date.UTC(2026, 0, 15, 19, 0)

/** A gateway that may dispatch, on an inverter with its owner's settings. */
export async function startWithBattery(starting: Starting = {}): Promise<TestGateway> {
  const timers = starting.timers ?? createFastTimers(starting.speed ?? 20, evening)
  const gateway = await startGateway({ ...starting, timers })
  giveOwnSettings(gateway.inverter)
  await gateway.allowDispatch()
  await gateway.isReady()
  return gateway
}

export function giveOwnSettings({ registers }: Simulator): void {
  for (const [name, value] of Object.entries(ownSettings)) registers.set(name, value)
}

/** The four registers as the inverter has them now. */
export const registersOf = ({ registers }: Simulator): Record<string, WireValue> =>
  Object.fromEntries(Object.keys(ownSettings).map((name) => [name, registers.get(name)]))

/** A write of one of the four registers as the inverter saw it. */
export interface SeenWrite {
  readonly at: number
  readonly name: string
  readonly value: WireValue
}

/** Writes of the four registers that arrived, oldest first. */
export function writesOf({ wire }: Simulator): SeenWrite[] {
  return wire.flatMap(({ at, frame }) => {
    const object = frame?.command === 'write' ? catalog.byId(frame.objectId) : undefined
    if (object === undefined || !(object.name in ownSettings) || frame === undefined) return []
    return [{ at, name: object.name, value: decodeValue(object.type, frame.payload) }]
  })
}

/** Writes of a restore, in order. */
export const handingBack: readonly (readonly [string, WireValue])[] = [
  [register.setpoint, 0],
  [register.setpoint, ownSettings[register.setpoint] as WireValue],
  [register.gridCharge, ownSettings[register.gridCharge] as WireValue],
  [register.target, ownSettings[register.target] as WireValue],
  [register.strategy, ownSettings[register.strategy] as WireValue],
]

/** Fault before a write reaches the inverter: `lose` it, or none. */
export type WriteHook = (name: string, count: number) => 'lose' | undefined

/** Calls the hook for every write of the four registers from now on, counted from 1. */
export function onWrite({ registers }: Simulator, hook: WriteHook): void {
  const write = registers.write.bind(registers)
  let count = 0
  registers.write = (objectId, payload) => {
    const name = catalog.byId(objectId)?.name ?? ''
    if (!(name in ownSettings)) return write(objectId, payload)
    count += 1
    return hook(name, count) === 'lose' ? false : write(objectId, payload)
  }
}

export type Mode = 'charge_from_grid' | 'discharge_to_load' | 'hold'

/** A request for an hour. */
export function wish(gateway: TestGateway, mode: Mode, more: Record<string, unknown> = {}): Record<string, unknown> {
  const budget = { target_soc_percent: mode === 'charge_from_grid' ? 90 : 20, max_power_w: 2000 }
  return { mode, valid_until: inSeconds(gateway, 3600), ...(mode === 'hold' ? {} : budget), ...more }
}

export const inSeconds = ({ timers }: TestGateway, seconds: number): string =>
  new Date(timers.now() + seconds * 1000).toISOString()

export const start = (gateway: TestGateway, mode: Mode, more?: Record<string, unknown>): Promise<Reply> =>
  gateway.call('POST', dispatchPath, wish(gateway, mode, more))

export const stop = (gateway: TestGateway): Promise<Reply> => gateway.call('DELETE', dispatchPath)

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
export async function dispatchOf(gateway: TestGateway): Promise<any> {
  return (await gateway.call('GET', dispatchPath)).body
}

/** Waits until the dispatch is in the state and returns it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
export function reaches(gateway: TestGateway, state: string, seconds = 20): Promise<any> {
  const read = () => dispatchOf(gateway)
  return eventually(read, (dispatch) => dispatch.state === state, { what: state, seconds, everyMs: 10 })
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
export async function readinessOf(gateway: TestGateway): Promise<{ status: number; device: any }> {
  const { status, body } = await gateway.call('GET', '/api/v1/readiness')
  return { status, device: body.devices[0] }
}

export interface JournalEntry {
  readonly metric: string
  readonly old_value: WireValue | null
  readonly new_value: WireValue
  readonly readback_value: WireValue | null
  readonly outcome: string
  readonly cause: string
  readonly caller: string | null
  readonly operation_id: string | null
}

/** Entries of the journal, oldest first. */
export async function journalOf(gateway: TestGateway): Promise<JournalEntry[]> {
  const { body } = await gateway.call('GET', main('/journal?limit=500'))
  return body.entries.toReversed()
}
