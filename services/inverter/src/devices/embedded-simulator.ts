import { join } from 'node:path'
import type { Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import { startSimulator, type Simulator } from '../simulator/simulator.ts'

/** The simulated inverter inside the service: started when a simulated device is first configured. */
export interface EmbeddedSimulator {
  endpoint(): Promise<{ host: string; port: number }>
  close(): Promise<void>
}

const host = '127.0.0.1'

export function createEmbeddedSimulator(parts: {
  catalog: Catalog
  timers: Timers
  dataDirectory: string
}): EmbeddedSimulator {
  let running: Promise<Simulator> | undefined
  return {
    async endpoint() {
      running ??= startSimulator({
        host,
        port: 0,
        catalog: parts.catalog,
        timers: parts.timers,
        stateFile: join(parts.dataDirectory, 'simulated-inverter.json'),
      })
      return { host, port: (await running).port }
    },
    async close() {
      await (await running)?.close()
    },
  }
}
