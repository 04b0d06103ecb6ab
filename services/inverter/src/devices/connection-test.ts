import type { Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import { deviceProblem } from '../metrics/device-problem.ts'
import { apiValueOf, labelOf, textOf } from '../metrics/value.ts'
import { Problem } from '../problems.ts'
import type { DeviceConnections } from './device-connections.ts'
import type { ConnectionResult, ConnectionTest } from './schema.ts'

/** Reads the identity of an inverter that may not be configured yet, over the existing connection if there is one. */
export async function testConnection(
  { host, port, network_id: networkId }: ConnectionTest,
  { connections, catalog, timers }: { connections: DeviceConnections; catalog: Catalog; timers: Timers },
): Promise<ConnectionResult> {
  const begin = timers.monotonic()
  const { link, close } = connections.probe(host, port)
  const read = async (name: string) => {
    const object = catalog.byName(name)
    if (object === undefined) throw new Error(`the catalog has no ${name}`)
    const payload = await link.read(object.objectId, { address: networkId ?? undefined, priority: 'normal' })
    const value = apiValueOf(object, payload)
    return labelOf(object, value) ?? textOf(value)
  }
  const took = () => Math.round(timers.monotonic() - begin)
  const nothing = { serial: null, firmware: null, state: null }
  try {
    const state = await read('inverter_state')
    const serial = await read('inverter_serial').catch(() => null)
    const firmware = await read('svnversion').catch(() => null)
    return { reachable: true, detail: 'The inverter answers', serial, firmware, state, took_ms: took() }
  } catch (error) {
    const problem = deviceProblem(error)
    if (!(problem instanceof Problem)) throw error
    return { reachable: false, detail: problem.message, ...nothing, took_ms: took() }
  } finally {
    await close()
  }
}
