import assert from 'node:assert/strict'
import { eventually } from '@hearth/testing'
import type { WireValue } from '../src/protocol/wire-value.ts'
import type { Faults } from '../src/simulator/faults.ts'
import { catalog, main, startGateway, type Reply, type Starting, type TestGateway } from './in-process.ts'

/** Counters of the one connection, as the administrator sees them. */
export interface Counters {
  readonly state: string
  readonly crc_errors: number
  readonly framing_errors: number
  readonly discarded_bytes: number
  readonly connection_epoch: number
  readonly unexpected_frames: number
  readonly foreign_access_suspected: boolean
  readonly queue_length: number
  readonly unanswered_metrics: string[]
}

/** Readiness of a device. */
export interface Standing {
  readonly ready: boolean
  readonly state: string
  readonly periodic_available: boolean | null
  readonly periodic_setup_failures: number
  readonly foreign_access_suspected: boolean
  readonly consecutive_failures: number
  readonly queue_length: number
  readonly unanswered_metrics: string[]
}

/**
 * A gateway whose inverter answered once and then has these faults. Values are frozen, so that the correct value is known, and
 * nothing is registered for periodic reading, so that all traffic is the test's own.
 */
export async function startFaulty(
  faults: Partial<Faults>,
  { speed = 10, ...starting }: Starting = {},
): Promise<TestGateway> {
  await using cleanup = new AsyncDisposableStack()
  const gateway = cleanup.use(
    await startGateway({
      speed,
      device: { periodic_reads: false },
      ...starting,
      simulator: { ...starting.simulator, faults: { frozenPlant: true, latencyMs: 0 } },
    }),
  )
  await gateway.isReady()
  if (speed <= 50) await isQuiet(gateway)
  gateway.inverter.setFaults(faults)
  cleanup.move()
  return gateway
}

/** Waits for the last request of a new connection; after it there is nothing but a heartbeat a minute. */
async function isQuiet({ service }: TestGateway): Promise<void> {
  const read = () => service.app.devices.find('main')?.firmware ?? null
  await eventually(read, (firmware) => firmware !== null, { what: 'the firmware', everyMs: 5 })
}

export async function countersOf(gateway: TestGateway): Promise<Counters> {
  const { transports } = (await gateway.operate('GET', '/admin/api/diagnostics/transports')) as {
    transports: Counters[]
  }
  const [only] = transports
  assert.ok(only !== undefined)
  return only
}

/** Waits until there is a connection, so that a request is not refused for want of one. */
export async function isConnected(gateway: TestGateway): Promise<void> {
  const read = () => countersOf(gateway)
  await eventually(read, ({ state }) => state === 'connected', { what: 'a connection', everyMs: 5 })
}

/** Reads the readiness of device `main`. */
export async function readinessKey(gateway: TestGateway): Promise<Standing> {
  const { body } = await gateway.call('GET', '/api/v1/readiness')
  return (body.devices as Standing[])[0]!
}

/** Reads from the device, not the cache. */
export function readFresh(gateway: TestGateway, name: string): Promise<Reply> {
  return gateway.call('GET', main(`/metrics/${name}?fresh=true`))
}

/** Expected result of a reading. */
export function rightValue({ inverter }: TestGateway, name: string): WireValue {
  const object = catalog.byName(name)
  assert.ok(object !== undefined && object.scale === 1, name)
  const value = inverter.registers.get(name)
  return object.type === 'float' ? Math.fround(Number(value)) : value
}

/** Reads from the device and expects its value. */
export async function assertRead(gateway: TestGateway, name: string): Promise<void> {
  const reply = await readFresh(gateway, name)
  assert.deepEqual(
    [reply.status, reply.body.value, reply.body.source, reply.body.stale],
    [200, rightValue(gateway, name), 'device', false],
    `${name}: ${reply.text}`,
  )
}

/** Waits until the inverter answers again after its faults ended. */
export async function recovers(gateway: TestGateway, name = 'battery_soc', seconds = 20): Promise<void> {
  const read = () => readFresh(gateway, name)
  await eventually(read, ({ status, body }) => status === 200 && body.source === 'device', {
    what: 'recovery',
    everyMs: 10,
    seconds,
  })
}

/** Requests for an object that reached the inverter. */
export function requestsFor({ inverter }: TestGateway, name: string): number {
  const { objectId } = catalog.byName(name)!
  return inverter.wire.filter(({ direction, frame }) => direction === 'in' && frame?.objectId === objectId).length
}

/** A metric that may hold any bytes up to a zero. */
export const text = 'parameter_file'

export const noDamage = { crc_errors: 0, framing_errors: 0 } as const

/** Expects these counters; others may be anything. */
export async function assertCounters(gateway: TestGateway, wanted: Partial<Counters>): Promise<void> {
  const counters = await countersOf(gateway)
  const names = Object.keys(wanted) as (keyof Counters)[]
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, counters[name]])), wanted)
}

/** Lets a text metric hold these bytes and reads it. */
export async function assertText(gateway: TestGateway, payload: Uint8Array): Promise<void> {
  gateway.inverter.setFaults({ payloads: { [text]: Buffer.from(payload).toString('hex') } })
  const reply = await readFresh(gateway, text)
  const end = payload.indexOf(0)
  const wanted = new TextDecoder().decode(end < 0 ? payload : payload.subarray(0, end))
  assert.deepEqual([reply.status, reply.body.value, reply.body.stale], [200, wanted, false], reply.text.slice(0, 300))
}

/** Text and zeros after it, so many bytes. */
export const textOf = (length: number, begin = 'x'): Uint8Array => {
  const bytes = new Uint8Array(length)
  bytes.set(new TextEncoder().encode(begin))
  return bytes
}
