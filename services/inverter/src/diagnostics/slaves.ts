import type { Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { staleReasonOf } from '../metrics/device-problem.ts'
import type { SlaveList } from './schema.ts'

/** A device tells of one slave a reading and goes round; milliseconds and counts of the search. */
const keptFor = 300_000
const mostReadings = 40
const mostSlaves = 31
const enoughRepeats = 3

/** Finds the further inverters behind a device. */
export interface SlaveSearch {
  find(runtime: DeviceRuntime): Promise<SlaveList>
}

export function createSlaveSearch(catalog: Catalog, timers: Timers): SlaveSearch {
  const known = new Map<string, { list: SlaveList; at: number }>()
  const running = new Map<string, Promise<SlaveList>>()
  const object = catalog.byName('net_slave_data')

  async function search(runtime: DeviceRuntime): Promise<SlaveList> {
    const list = object === undefined ? nothing(runtime.deviceId) : await goRound(runtime, object)
    if (list.complete) known.set(runtime.deviceId, { list, at: timers.monotonic() })
    return list
  }

  return {
    find(runtime) {
      const { deviceId } = runtime
      const kept = known.get(deviceId)
      if (kept !== undefined && timers.monotonic() - kept.at < keptFor) return Promise.resolve(kept.list)
      const searching = running.get(deviceId) ?? search(runtime).finally(() => running.delete(deviceId))
      running.set(deviceId, searching)
      return searching
    },
  }
}

const nothing = (deviceId: string): SlaveList => ({ device_id: deviceId, slaves: [], complete: true, error_code: null })

async function goRound({ deviceId, reader }: DeviceRuntime, object: CatalogObject): Promise<SlaveList> {
  const found = new Map<unknown, SlaveList['slaves'][number]>()
  const list = (complete: boolean, code: string | null): SlaveList => ({
    device_id: deviceId,
    slaves: [...found.values()],
    complete,
    error_code: code,
  })
  let repeats = 0
  for (let reading = 0; reading < mostReadings && repeats < enoughRepeats && found.size < mostSlaves; reading += 1) {
    try {
      const slave = (await reader.readDirect(object, 'normal')).value as SlaveList['slaves'][number]
      repeats = found.has(slave['network_id']) ? repeats + 1 : 0
      found.set(slave['network_id'], slave)
    } catch (error) {
      const code = staleReasonOf(error)
      if (code === undefined) throw error
      return list(false, code)
    }
  }
  return list(repeats >= enoughRepeats, null)
}
