import { readFileSync } from 'node:fs'
import {
  closeOnSignal,
  createFastTimers,
  createLog,
  logLevel,
  OperatorError,
  parseSettings,
  systemTimers,
} from '@hearth/runtime'
import { z } from 'zod'
import { loadCatalog } from '../catalog/catalog.ts'
import { CaptureError, parseCapture, type CapturedFrame } from '../recorder/flight-recorder.ts'
import type { SimulatedSlave } from './payloads.ts'
import { followFaultsFile } from './faults.ts'
import { servePrices } from './price-server.ts'
import { SharedHouse } from './shared-house.ts'
import { startSimulator } from './simulator.ts'
import type { Reply } from './transmissions.ts'

/** Maximum plant address, and maximum number of further inverters that a plant reports. */
const maxNetworkId = 0xff_ff_ff_ff
const maxSlaves = 31

/** Options of `hearth inverter simulate`. */
export interface SimulateOptions {
  readonly port: number
  readonly host: string
  readonly seed?: number
  /** Share of the sun that clouds may take, 0 to 1. */
  readonly clouds?: number
  /** Port of day-ahead prices. */
  readonly pricesPort?: number
  /** Plant addresses of further inverters. */
  readonly networkId?: readonly number[]
  /** The inverters share one house, whose grid connection the sensor of the first one sees. */
  readonly oneHouse?: boolean
  readonly state?: string
  readonly faults?: string
  readonly replay?: string
  readonly speed?: number
}

/** Runs a simulated inverter until it is stopped. Prints one line when it listens. */
export async function runSimulatorCommand(options: SimulateOptions): Promise<void> {
  const { port, host, seed = 1, networkId = [], oneHouse = false, state, faults, replay, speed = 1 } = options
  const { clouds, pricesPort } = options
  if (clouds !== undefined && !(clouds >= 0 && clouds <= 1)) throw new OperatorError('--clouds: must be from 0 to 1')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new OperatorError('--port: must be from 0 to 65535')
  if (!Number.isInteger(seed)) throw new OperatorError('--seed: must be a whole number')
  checkNetworkIds(networkId)
  if (!(speed > 0 && speed <= 1000)) throw new OperatorError('--speed: must be more than 0 and at most 1000')
  const { LOG_LEVEL } = parseSettings(z.object({ LOG_LEVEL: logLevel }), process.env)
  const log = createLog({ name: 'simulator', level: LOG_LEVEL })
  const timers = speed === 1 ? systemTimers : createFastTimers(speed)
  const prices =
    pricesPort === undefined ? undefined : await servePrices({ host, port: pricesPort }, { clock: timers, seed })
  const simulator = await startSimulator({
    host,
    port,
    seed,
    clouds,
    slaves: networkId.map(slaveAt),
    house: oneHouse ? new SharedHouse() : undefined,
    log,
    timers,
    catalog: loadCatalog(),
    stateFile: state,
    replay: replay === undefined ? undefined : openReplay(replay),
  })
  const stopFollowing =
    faults === undefined ? undefined : followFaultsFile(faults, { log, apply: (found) => simulator.setFaults(found) })
  closeOnSignal(
    {
      async close() {
        stopFollowing?.()
        await prices?.close()
        await simulator.close()
      },
    },
    log,
  )
  process.stdout.write(`simulated inverter listening on ${host}:${simulator.port}\n`)
  if (prices !== undefined) process.stdout.write(`prices at http://${host}:${prices.port}/prices\n`)
}

function checkNetworkIds(ids: readonly number[]): void {
  if (ids.some((id) => !Number.isInteger(id) || id < 0 || id > maxNetworkId))
    throw new OperatorError(`--network-id: must be whole numbers from 0 to ${maxNetworkId}`)
  if (new Set(ids).size !== ids.length) throw new OperatorError('--network-id: the same address is given twice')
  if (ids.length > maxSlaves)
    throw new OperatorError(`--network-id: a plant has at most ${maxSlaves} further inverters`)
}

/** A further inverter, named after its address. */
const slaveAt = (networkId: number): SimulatedSlave => ({
  networkId,
  name: `Simulated ${networkId}`,
  serial: `SIM${String(networkId).padStart(9, '0')}`,
})

/** Answers that were recorded once. */
export type Replay = ReturnType<typeof openReplay>

/** Reads a capture of the flight recorder. Throws an `OperatorError` that names the first line it cannot read. */
export function openReplay(file: string) {
  const answers = new Map<string, Reply[]>()
  const key = (address: number | undefined, objectId: number) => `${address ?? ''} ${objectId}`
  for (const frame of readCapture(file)) {
    if (frame.direction !== 'received' || !frame.command.endsWith('response')) continue
    const place = key(frame.address ?? undefined, Number(frame.object_id))
    const answer = { payload: Buffer.from(frame.payload, 'hex'), isLong: frame.command === 'long-response' }
    answers.set(place, [...(answers.get(place) ?? []), answer])
  }
  return {
    /** Returns the next recorded answer for an object, round and round; undefined when there is none. */
    next(address: number | undefined, objectId: number): Reply | undefined {
      const list = answers.get(key(address, objectId))
      const answer = list?.shift()
      if (answer !== undefined) list?.push(answer)
      return answer
    },
  }
}

function readCapture(file: string): CapturedFrame[] {
  const text = readFileSync(file, 'utf8')
  try {
    return parseCapture(text)
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error
    throw new OperatorError(`--replay: ${file}, line ${error.line} is not a recorded frame`, { cause: error })
  }
}
