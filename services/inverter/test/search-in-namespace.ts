import { startSimulator } from '../src/simulator/simulator.ts'
import type { InverterSearchView } from '../src/discovery/schema.ts'
import { createFastTimers } from '@hearth/runtime'
import { catalog, startGateway } from './in-process.ts'

/**
 * Searches the networks of the network namespace that it runs in, with an inverter at the address that is given, and prints
 * what was found as JSON. Run by the test of the search.
 */
const [host = ''] = process.argv.slice(2)
const timers = createFastTimers(1)
const inverter = await startSimulator({ port: 8899, host, timers, catalog })
const gateway = await startGateway({ timers, device: null })
const path = '/admin/api/inverter-search'
const before = (await gateway.operate('GET', path)) as InverterSearchView
await gateway.operate('POST', path, { networks: before.networks.map(({ network }) => network) })
let view = before
do {
  await timers.delay(100)
  view = (await gateway.operate('GET', path)) as InverterSearchView
} while (view.state === 'searching')
process.stdout.write(JSON.stringify(view))
await gateway[Symbol.asyncDispose]()
await inverter.close()
