import type { Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
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

  async function search({ deviceId, reader }: DeviceRuntime): Promise<SlaveList> {
    const found = new Map<number, SlaveList['slaves'][number]>()
    let repeats = 0
    let error: string | null = null
    for (let reading = 0; reading < mostReadings && repeats < enoughRepeats && found.size < mostSlaves; reading += 1) {
      try {
        if (object === undefined) break
        const { value } = await reader.readDirect(object, 'background')
        const slave = value as SlaveList['slaves'][number]
        const id = Number(slave['network_id'])
        repeats = found.has(id) ? repeats + 1 : 0
        found.set(id, slave)
      } catch (thrown) {
        error = staleReasonOf(thrown) ?? null
        if (error === null) throw thrown
        break
      }
    }
    const list = {
      device_id: deviceId,
      slaves: [...found.values()],
      complete: error === null && repeats >= enoughRepeats,
      error_code: error,
    }
    if (list.complete) known.set(deviceId, { list, at: timers.monotonic() })
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
