import {
  closeOnSignal,
  commonSettings,
  createFastTimers,
  createLog,
  OperatorError,
  parseSettings,
  systemTimers,
} from '@hearth/runtime'
import { z } from 'zod'
import { loadCatalog } from '../catalog/catalog.ts'
import { followFaultsFile } from './faults-file.ts'
import { openReplay } from './replay.ts'
import { startSimulator } from './simulator.ts'

/** What `hearth inverter simulate` is told. */
export interface SimulateOptions {
  readonly port: number
  readonly host?: string
  readonly seed?: number
  readonly state?: string
  readonly faults?: string
  readonly replay?: string
  readonly speed?: number
}

/** Runs a simulated inverter until it is told to stop. Prints one line when it listens. */
export async function runSimulatorCommand(options: SimulateOptions): Promise<void> {
  const { port, host = '127.0.0.1', seed = 1, state, faults, replay, speed = 1 } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new OperatorError('--port: must be from 0 to 65535')
  if (!Number.isInteger(seed)) throw new OperatorError('--seed: must be a whole number')
  if (!(speed > 0 && speed <= 1000)) throw new OperatorError('--speed: must be more than 0 and at most 1000')
  const { LOG_LEVEL: logLevel } = parseSettings(z.object({ LOG_LEVEL: commonSettings.LOG_LEVEL }), process.env)
  const log = createLog({ name: 'simulator', level: logLevel })
  const simulator = await startSimulator({
    host,
    port,
    seed,
    log,
    timers: speed === 1 ? systemTimers : createFastTimers(speed),
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
        await simulator.close()
      },
    },
    log,
  )
  process.stdout.write(`simulated inverter listening on ${host}:${simulator.port}\n`)
}
