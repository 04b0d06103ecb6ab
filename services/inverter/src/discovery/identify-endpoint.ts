import type { Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import { stepsOfProbe } from '../devices/connection-steps.ts'
import { usualPort } from '../devices/schema.ts'
import { probeEndpoint } from '../link/endpoint-probe.ts'
import { apiValueOf, textOf } from '../metrics/value.ts'
import type { FoundEndpoint } from './schema.ts'

/** Times for the connection and each answer, milliseconds. */
const connectMs = 800
const answerMs = 3000

/** Reads that show who answers; none changes anything. */
const names = ['inverter_state', 'inverter_serial', 'svnversion', 'android_description'] as const

/** Identifies the server at the port of inverters of an address; undefined when nothing listens there. */
export async function identifyEndpoint(
  address: string,
  { catalog, timers, signal }: { readonly catalog: Catalog; readonly timers: Timers; readonly signal: AbortSignal },
): Promise<FoundEndpoint | undefined> {
  const objects = names.flatMap((name) => catalog.byName(name) ?? [])
  const objectIds = objects.map(({ objectId }) => objectId)
  const report = await probeEndpoint({
    host: address,
    port: usualPort,
    objectIds,
    timers,
    connectMs,
    answerMs,
    listenMs: 0,
    signal,
  })
  if (!report.isConnected) return undefined
  const textFor = (name: (typeof names)[number]): string | null => {
    const object = catalog.byName(name)
    const payload = object && report.payloads.get(object.objectId)
    if (object === undefined || payload === undefined) return null
    try {
      return textOf(apiValueOf(object, payload)).trim() || null
    } catch {
      return null
    }
  }
  const failed = stepsOfProbe(report, { port: usualPort, values: 1 }).find(({ state }) => state === 'failed')
  const isInverter = report.payloads.size > 0 || report.isInBootloader || report.foreignFrames > 0
  return {
    address,
    port: usualPort,
    kind: isInverter ? 'inverter' : 'other',
    detail: failed?.text ?? null,
    device_id: null,
    serial: textFor('inverter_serial'),
    name: textFor('android_description'),
    firmware: textFor('svnversion'),
  }
}
