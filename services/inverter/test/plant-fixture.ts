import { eventually } from '@hearth/testing'
import { SharedHouse } from '../src/simulator/shared-house.ts'
import { startSimulator, type Simulator } from '../src/simulator/simulator.ts'
import { noonTimers } from './history-fixture.ts'
import { catalog, startGateway, type TestGateway } from './in-process.ts'

/** A gateway with the inverters `main` and `second` of one house; the sensor of `main` sees its grid connection. */
export interface TestPlant extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly second: Simulator
}

/** Starts both inverters, each behind its own address, and makes them one plant. `faults` are those of the second. */
export async function startPlant({ speed = 150, timers = noonTimers(speed), faults = {} } = {}): Promise<TestPlant> {
  const house = new SharedHouse()
  const main = await startSimulator({ port: 0, timers, catalog, seed: 1, house })
  const second = await startSimulator({ port: 0, timers, catalog, seed: 2, house, faults })
  second.registers.set('inverter_serial', 'SIM000000002')
  const gateway = await startGateway({ timers, inverter: main })
  const device = { device_id: 'second', host: '127.0.0.1', port: second.port }
  await gateway.operate('POST', '/admin/api/devices', device)
  await gateway.isReady()
  await joinPlant(gateway)
  return {
    gateway,
    second,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await Promise.all([main.close(), second.close()])
    },
  }
}

/** Makes both inverters one plant. */
export async function joinPlant(gateway: TestGateway): Promise<void> {
  const inverters = [
    { device_id: 'main', sees_grid: true },
    { device_id: 'second', sees_grid: false },
  ]
  await gateway.operate('PUT', '/admin/api/plant', { enabled: true, display_name: 'House', inverters })
}

interface Sum {
  readonly watts: number | null
  readonly known_watts: number | null
  readonly inverters: number
}

/** The plant as the API has it. */
export interface PlantReply {
  readonly inverters: readonly { readonly device_id: string; readonly is_off_for_night: boolean }[]
  readonly away: readonly string[]
  readonly grid_meter: string | null
  readonly pv: Sum
  readonly battery: Sum
  readonly grid: Sum
  readonly house: Sum
  readonly soc_percent: number | null
  readonly unknown_batteries: readonly string[]
}

/** Reads the plant with the read token. */
export async function readPlant(gateway: TestGateway): Promise<PlantReply> {
  const reply = await gateway.send('GET', '/api/v1/plant', { token: gateway.tokens.read })
  if (reply.status !== 200) throw new Error(reply.text)
  return JSON.parse(reply.text) as PlantReply
}

/** Waits for a plant in a state. */
export const plantWhen = (
  gateway: TestGateway,
  isRight: (plant: PlantReply) => boolean,
  what: string,
): Promise<PlantReply> => eventually(() => readPlant(gateway), isRight, { what, seconds: 60, everyMs: 200 })
