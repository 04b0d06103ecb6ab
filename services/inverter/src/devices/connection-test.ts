import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Timers } from '@hearth/runtime'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { probeEndpoint } from '../link/endpoint-probe.ts'
import type { Link } from '../link/link.ts'
import { deviceProblem } from '../metrics/device-problem.ts'
import { apiValueOf, labelOf, textOf } from '../metrics/value.ts'
import { Problem } from '../problems.ts'
import { addressStep, stepOfOpenLink, stepsOfProbe } from './connection-steps.ts'
import type { ConnectionResult, ConnectionStep, ConnectionTest } from './schema.ts'

/** Times of a test, milliseconds: for the name, the connection, each answer, and to listen for others. */
const lookupMs = 3000
const connectMs = 3000
const answerMs = 5000
const listenMs = 1500

interface TestDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  /** The link that is open to the endpoint, whatever its state. */
  readonly link: Link | undefined
}

/** Objects that show who answers. The first is answered by every firmware. */
const identity = ['inverter_state', 'inverter_serial', 'svnversion'] as const
type Values = Partial<Record<(typeof identity)[number], string>>

/**
 * Tests the connection to an inverter that may not be configured yet, step by step, until one fails. It uses the connection
 * that is open to it, because an inverter bears no second one.
 */
export async function testConnection(test: ConnectionTest, dependencies: TestDependencies): Promise<ConnectionResult> {
  const { timers, link } = dependencies
  const begin = timers.monotonic()
  const isInUse = link !== undefined && link.status().state !== 'backing-off'
  const { steps, values } = isInUse ? await testOpenLink(link, test, dependencies) : await testAlone(test, dependencies)
  const failed = steps.find(({ state }) => state === 'failed')
  return {
    reachable: failed === undefined,
    detail: failed?.text ?? 'The inverter answers',
    steps,
    serial: values.inverter_serial ?? null,
    firmware: values.svnversion ?? null,
    state: values.inverter_state ?? null,
    took_ms: Math.round(timers.monotonic() - begin),
  }
}

interface Outcome {
  readonly steps: ConnectionStep[]
  readonly values: Values
}

async function testOpenLink(link: Link, test: ConnectionTest, { catalog }: TestDependencies): Promise<Outcome> {
  const values: Values = {}
  try {
    for (const name of identity) {
      const object = objectOf(catalog, name)
      const options = { address: test.network_id ?? undefined, priority: 'normal' } as const
      const payload = await link.read(object.objectId, options).catch((error: unknown) => {
        if (name === 'inverter_state') throw error
        return undefined
      })
      if (payload !== undefined) values[name] = textFor(object, payload)
    }
  } catch (error) {
    const problem = deviceProblem(error)
    if (!(problem instanceof Problem)) throw error
    return { steps: [stepOfOpenLink(problem.message, problem.code === 'device_maintenance')], values }
  }
  return { steps: [stepOfOpenLink(null, false)], values }
}

async function testAlone(
  { host, port, network_id: networkId }: ConnectionTest,
  dependencies: TestDependencies,
): Promise<Outcome> {
  const { catalog, timers } = dependencies
  const found = await addressOf(host, timers)
  const first = addressStep(host, found)
  if (!('address' in found)) return { steps: [first], values: {} }
  const objects = identity.map((name) => objectOf(catalog, name))
  const report = await probeEndpoint({
    host: found.address,
    port,
    address: networkId ?? undefined,
    objectIds: objects.map(({ objectId }) => objectId),
    timers,
    connectMs,
    answerMs,
    listenMs,
  })
  const values: Values = {}
  for (const [index, object] of objects.entries()) {
    const payload = report.payloads.get(object.objectId)
    const name = identity[index]
    if (payload !== undefined && name !== undefined) values[name] = textFor(object, payload)
  }
  return { steps: [first, ...stepsOfProbe(report, { port, values: objects.length })], values }
}

/** Looks up a name, for three seconds at most. */
async function addressOf(host: string, timers: Timers): Promise<{ address: string } | { code: string }> {
  if (isIP(host) !== 0) return { address: host }
  const late = new AbortController()
  const wait = timers.delay(lookupMs, late.signal).then(
    () => ({ code: 'no answer' }),
    () => ({ code: 'no answer' }),
  )
  const found = lookup(host).catch((error: unknown) => ({ code: (error as NodeJS.ErrnoException).code ?? 'unknown' }))
  const first = await Promise.race([found, wait])
  late.abort()
  return first
}

function objectOf(catalog: Catalog, name: string): CatalogObject {
  const object = catalog.byName(name)
  if (object === undefined) throw new Error(`the catalog has no ${name}`)
  return object
}

/** Text of a value; empty for bytes that cannot be one. */
function textFor(object: CatalogObject, payload: Uint8Array): string {
  try {
    const value = apiValueOf(object, payload)
    return labelOf(object, value) ?? textOf(value)
  } catch {
    return ''
  }
}
