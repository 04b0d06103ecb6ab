import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { noFaults, type Faults } from '../src/simulator/faults.ts'
import { noiseAt } from '../src/simulator/seeded-noise.ts'
import { dispatchOf, evening, ownSettings, register, registersOf, start, startWithBattery, stop } from './battery.ts'
import { main, type TestGateway } from './in-process.ts'

/** Intermittent faults; a real installation may have any one of them. */
const failures: readonly Partial<Faults>[] = [
  { silent: true },
  { refuse: true },
  { closeOnAccept: true },
  { latencyMs: 900 },
  { byteByByteMs: 2 },
  { flipShare: 0.2 },
  { noise: 'garbage' },
  { noise: 'bridge' },
  { splitAfterEscape: true },
  { startByteInside: true },
  { foreignReplies: 3 },
  { stuck: [register.setpoint] },
  { stuck: [register.strategy, register.target] },
  { writeDelayMs: 1500 },
  { answerWrites: true },
  { resetOnWrite: true },
  { silentFor: ['grid_power'] },
  { values: { battery_soc: 1.7 } },
  { frozenPlant: true },
  { ignorePeriodic: true },
  { periodicStops: true },
  { ignorePeriodWrite: true },
  { bootloader: true },
]

/** No timer is shorter than a real millisecond: at this speed sixty values one after the other would take half a minute. */
const calm: Faults = { ...noFaults, latencyMs: 0 }

/** Duration and faults of a run. */
export interface Endurance {
  readonly hours: number
  readonly speed: number
  readonly seed: number
  /** Called from time to time with the heap size after a garbage collection, bytes. */
  readonly onHour?: (hour: number, heap: number) => void
}

/** Counts of a run, and the heap size at its begin and end, bytes. */
export interface Endured {
  readonly answers: Record<string, number>
  readonly failures: number
  readonly heaps: readonly number[]
}

/**
 * Runs a gateway with a faulty inverter while reads, writes and dispatches continue. Then the faults end, and everything has to
 * be as if there had been none; throws when it is not.
 */
export async function endure({ hours, speed, seed, onHour }: Endurance): Promise<Endured> {
  const timers = createFastTimers(speed, evening)
  let drawn = 0
  const chance = () => noiseAt(seed, (drawn += 1))
  const answers: Record<string, number> = {}
  const heaps: number[] = []
  await using gateway = await startWithBattery({ timers, simulator: { faults: calm } })
  await gateway.allowWriting('battery_soc_target')
  const begun = timers.monotonic()
  const until = begun + hours * 3_600_000
  const isOver = () => timers.monotonic() >= until
  const count = ({ status }: { status: number }) => {
    answers[status] = (answers[status] ?? 0) + 1
    if (status === 500) throw new Error('the service did not expect what happened')
  }
  const pause = (maxDurationMs: number) => timers.delay(chance() * maxDurationMs)
  let troubled = 0
  const callers = [
    repeat(isOver, async () => {
      await pause(20_000)
      const names = chance() < 0.5 ? 'battery_soc,grid_power&fresh=true' : 'battery_soc,solar_a_power,inverter_state'
      count(await gateway.call('GET', main(`/metrics?names=${names}`)))
    }),
    repeat(isOver, async () => {
      await pause(120_000)
      count(await gateway.call('PUT', main('/metrics/battery_soc_target'), { value: Math.round(chance() * 100) }))
    }),
    repeat(isOver, async () => {
      await pause(240_000)
      const mode = (['charge_from_grid', 'discharge_to_load', 'hold'] as const)[Math.floor(chance() * 3)] ?? 'hold'
      count(chance() < 0.35 ? await stop(gateway) : await start(gateway, mode))
    }),
    repeat(isOver, async () => {
      await pause(300_000)
      troubled += 1
      gateway.inverter.setFaults({ ...calm, ...failures[Math.floor(chance() * failures.length)] })
      if (chance() < 0.1) gateway.inverter.dropConnections()
      if (chance() < 0.2) gateway.inverter.setSoc(0.2 + 0.6 * chance())
      await pause(120_000)
      gateway.inverter.setFaults(calm)
    }),
    repeat(isOver, async () => {
      heaps.push(heapOf())
      onHour?.(Math.round((timers.monotonic() - begun) / 3_600_000), heaps.at(-1) ?? 0)
      await timers.delay(Math.min(3_600_000, Math.max(1, until - timers.monotonic())))
    }),
  ]
  await Promise.all(callers)
  heaps.push(heapOf())
  await assertRecovered(gateway)
  return { answers, failures: troubled, heaps }
}

async function repeat(isOver: () => boolean, work: () => Promise<void>): Promise<void> {
  while (!isOver()) await work()
}

/** The heap after a collection, when the process allows to ask for one. */
function heapOf(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

async function assertRecovered(gateway: TestGateway): Promise<void> {
  gateway.inverter.setFaults(calm)
  gateway.inverter.setSoc(0.5)
  await stop(gateway)
  const options = { seconds: 30, what: 'everything as before' }
  const ask = async () => {
    const { status, body } = await gateway.call('GET', '/api/v1/readiness')
    const { state } = await dispatchOf(gateway)
    const { ready, queue_length: queued, periodic_available: periodic } = body.devices[0]
    return { status, ready, queued, periodic, state, registers: registersOf(gateway.inverter) }
  }
  const isAsBefore = ({ status, ready, queued, periodic, state, registers }: Awaited<ReturnType<typeof ask>>) =>
    status === 200 &&
    ready &&
    queued === 0 &&
    periodic &&
    state === 'idle' &&
    JSON.stringify(registers) === JSON.stringify(ownSettings)
  await eventually(ask, isAsBefore, options)
  // At this speed the device's five seconds are a few milliseconds, in which a busy machine may run something else.
  await eventually(
    () => start(gateway, 'hold'),
    ({ status }) => status === 200,
    { seconds: 30, what: 'a dispatch that can be started' },
  )
  await eventually(
    () => stop(gateway),
    ({ body }) => body.state === 'idle',
    { seconds: 30, what: 'a dispatch that can be stopped' },
  )
}
