import { join } from 'node:path'
import { createOpenGuarded, createOutboundPolicy } from '@hearth/outbound'
import { createKeyedQueue, QueueFull } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { readBatch } from '../metrics/read-batch.ts'
import type { MetricValue } from '../metrics/schema.ts'
import type { TimeSeriesDependencies } from './dependencies.ts'
import { LineBuffer } from './line-buffer.ts'
import { linesOf, timeOf } from './line-protocol.ts'
import type { TimeSeriesSettings, TimeSeriesStatus } from './schema.ts'
import { Sender } from './sender.ts'
import type { ServerAddress } from './write-request.ts'

/** Ports that need no exemption from the guard: those of the web, of InfluxDB, and of VictoriaMetrics. */
const ports = [80, 443, 8086, 8428]

/** Time for readings that are under way when it is stopped, milliseconds. */
const closeMs = 2000

/** Creates the way to a server, guarded. */
export const openTo = ({ allow }: Pick<TimeSeriesDependencies, 'allow'>) =>
  createOpenGuarded(createOutboundPolicy(allow, { ports }))

/** Time series while they are switched on. */
export type Runner = Awaited<ReturnType<typeof startRunner>>

/** Reads the inverters at an interval, and writes what was read until it is stopped. */
export async function startRunner(
  settings: TimeSeriesSettings,
  address: ServerAddress,
  dependencies: TimeSeriesDependencies,
) {
  const { timers, log, catalog, devices, dataDirectory, changed } = dependencies
  const buffer = await LineBuffer.open(join(dataDirectory, 'time-series'), settings.buffer_mib * 1_048_576)
  const sender = new Sender({ address, buffer, open: openTo(dependencies), timers, log, changed })
  const objects = settings.metrics.map((name) => catalog.byName(name)).filter((object) => object !== undefined)
  const readings = createKeyedQueue(1)
  const newness = createNewness(settings.precision)
  let overflowed = 0
  let isClosed = false
  let cancel = timers.after(0, round)

  function round(): void {
    for (const runtime of devices()) read(runtime)
    // What an earlier run left is written even when no inverter answers.
    sender.wake()
    cancel = timers.after(settings.interval_seconds * 1000, round)
  }

  /** Reads one inverter at its own pace; a slow one holds up no other, and has one round waiting at most. */
  function read(runtime: DeviceRuntime): void {
    readings
      .run(runtime.deviceId, async () => {
        const values = newness.take(runtime.deviceId, await readValues(runtime, objects))
        const { measurement, precision } = settings
        const lines = linesOf(values, { measurement, deviceId: runtime.deviceId, precision })
        if (lines.length === 0 || isClosed) return
        overflowed += await buffer.add(lines)
        sender.wake()
        changed()
      })
      .catch((error: unknown) => {
        if (!(error instanceof QueueFull))
          log.error({ err: error, device: runtime.deviceId }, 'time series: values could not be stored')
      })
  }

  return {
    sender,
    status: (): TimeSeriesStatus => Object.assign(sender.status(), { points_overflowed: overflowed }),
    async stop(): Promise<void> {
      isClosed = true
      cancel()
      await Promise.race([readings.idle(), timers.delay(closeMs)])
      await sender.close()
      await buffer.idle()
    },
  }
}

/** Creates what tells values that were read since the last round from those that are still in the cache. */
function createNewness(precision: TimeSeriesSettings['precision']) {
  const known = new Map<string, number>()
  return {
    take: (deviceId: string, values: readonly MetricValue[]): MetricValue[] =>
      values.filter(({ name, timestamp }) => {
        const key = `${deviceId} ${name}`
        const time = timeOf(timestamp, precision)
        if ((known.get(key) ?? -Infinity) >= time) return false
        known.set(key, time)
        return true
      }),
  }
}

/** Returns the values of the objects that the device or the cache has. */
async function readValues(runtime: DeviceRuntime, objects: readonly CatalogObject[]): Promise<readonly MetricValue[]> {
  try {
    return objects.length === 0 ? [] : (await readBatch(runtime, objects, false)).metrics
  } catch {
    // The device gives no values now, so there are no points of it.
    return []
  }
}
