import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { Frame } from '../protocol/frame.ts'
import { decodeValue, encodeValue } from '../protocol/wire-value.ts'
import { Link } from './link.ts'
import { Periodic } from './periodic.ts'
import { UnansweredObjects } from './unanswered-objects.ts'
import { answerTo, createMemoryLog, response, startScriptedDevice } from './scripted-device.data.ts'

const periodObject = 0x9c8fe559
const speed = 100
const one = encodeValue('float', 1)

/** A device that sends the registered values by itself. Time passes a hundred times as fast, but patience is as always. */
async function setUp(t: TestContext, objectIds: readonly number[] = [1, 2, 3], address?: number) {
  const timers = createFastTimers(speed)
  const state = {
    period: 0,
    registered: new Set<number>(),
    ignoresPeriod: false,
    ignoresRegister: false,
  }
  const device = await startScriptedDevice((frame) => take(frame))
  function take(frame: Frame): Frame[] {
    if (frame.command === 'write' && frame.objectId === periodObject && !state.ignoresPeriod) {
      state.period = Number(decodeValue('uint32', frame.payload))
      if (state.period === 0) state.registered.clear()
    }
    if (frame.command === 'read')
      return [answerTo(frame, frame.objectId === periodObject ? encodeValue('uint32', state.period) : one)]
    if (frame.command !== 'read-periodically' || state.ignoresRegister) return []
    state.registered.add(frame.objectId)
    return [answerTo(frame, one)]
  }
  device.onAccept(() => state.registered.clear())
  const beat = setInterval(() => {
    if (state.period > 0)
      device.send(...[...state.registered].map((id) => response(id, encodeValue('float', 2), address)))
  }, 30_000 / speed)
  const { log, messages } = createMemoryLog()
  const patience = { connectMs: 400_000, readMs: 100_000, queueWaitMs: 1_000_000 }
  const link = new Link({ host: '127.0.0.1', port: device.port, gapMs: 0, timers, log, timing: patience })
  const values: [number, unknown][] = []
  const periodic = new Periodic({
    link,
    address,
    objectIds,
    periodSeconds: 30,
    unanswered: new UnansweredObjects(timers),
    prepare: () => Promise.resolve(),
    timers,
    log,
    onValue: (id, payload) => values.push([id, decodeValue('float', payload)]),
  })
  t.after(async () => {
    clearInterval(beat)
    await periodic.stop()
    await link.close()
    await device.stop()
  })
  return { timers, state, device, link, periodic, values, messages }
}

const available = (periodic: Periodic) =>
  eventually(
    () => periodic.status(),
    (status) => status.available,
    { everyMs: 5, seconds: 20 },
  )

test('objects are registered after the period is set, and their values arrive', async (t) => {
  const { device, periodic, values, link, state } = await setUp(t)
  assert.deepEqual(await available(periodic), {
    available: true,
    registrations: 3,
    setupFailures: 0,
    lastFailure: null,
  })
  assert.deepEqual(values.slice(0, 3), [
    [1, 1],
    [2, 1],
    [3, 1],
  ])
  const commands = device
    .received()
    .map(({ command, objectId }) => `${command} ${objectId === periodObject ? 'period' : objectId}`)
  assert.equal(commands[0], 'write period')
  assert.deepEqual(
    commands.filter((command) => command !== 'read period').slice(1),
    [1, 2, 3].map((id) => `read-periodically ${id}`),
  )
  assert.equal(state.period, 30)
  await eventually(
    () => values.filter(([, value]) => value === 2).length,
    (count) => count >= 6,
    { everyMs: 10 },
  )
  assert.equal(link.status().unexpectedFrames, 0)
})

test('objects are registered again on a new connection', async (t) => {
  const { device, periodic, link } = await setUp(t)
  await available(periodic)
  device.dropConnections()
  await eventually(
    () => periodic.status(),
    ({ available, registrations }) => !available && registrations === 0,
    { everyMs: 2 },
  )
  await available(periodic)
  assert.deepEqual([link.status().epoch, periodic.status().setupFailures], [2, 0])
})

test('a device that refuses the period is retried with growing delays, and the reason is reported', async (t) => {
  const { device, state, periodic, timers, messages } = await setUp(t)
  state.ignoresPeriod = true
  const begin = timers.monotonic()
  const failed = await eventually(
    () => periodic.status(),
    ({ setupFailures }) => setupFailures === 3,
    { everyMs: 10, seconds: 20 },
  )
  // Two waits lie between three rounds: 10 and 20 seconds.
  assert.ok(timers.monotonic() - begin >= 30_000)
  assert.deepEqual([failed.available, failed.registrations], [false, 0])
  assert.match(failed.lastFailure ?? '', /still is 0 s/)
  assert.equal(device.received().filter(({ command }) => command === 'write').length, 3)
  assert.equal(messages.filter((message) => message.includes('periodic reads could not be set up')).length, 1)
  state.ignoresPeriod = false
  assert.equal((await available(periodic)).setupFailures, 0)
  assert.match(periodic.status().lastFailure ?? '', /still is 0 s/)
})

test('a device that ignores the periodic command keeps its connection', async (t) => {
  const { state, periodic, link } = await setUp(t)
  state.ignoresRegister = true
  const failed = await eventually(
    () => periodic.status(),
    ({ setupFailures }) => setupFailures > 0,
    { everyMs: 10, seconds: 20 },
  )
  assert.match(failed.lastFailure ?? '', /did not answer/)
  assert.equal(link.status().epoch, 1)
  assert.equal((await link.read(9, { address: undefined, priority: 'normal' })).toHex(), '3f800000')
})

test('a new connection resets the retry delay of the registration to ten seconds', async (t) => {
  const { device, state, periodic, timers, link } = await setUp(t)
  state.ignoresPeriod = true
  await eventually(
    () => periodic.status(),
    ({ setupFailures }) => setupFailures === 4,
    { everyMs: 10, seconds: 20 },
  )
  // The next wait would be 80 seconds.
  state.ignoresPeriod = false
  device.dropConnections()
  await eventually(
    () => link.status().epoch,
    (epoch) => epoch === 2,
    { everyMs: 2 },
  )
  const begin = timers.monotonic()
  await available(periodic)
  assert.ok(timers.monotonic() - begin < 60_000)
})

test('objects whose values stop arriving are registered again', async (t) => {
  const { state, periodic, device, messages } = await setUp(t)
  await available(periodic)
  const rounds = () => device.received().filter(({ command }) => command === 'write').length
  state.registered.clear()
  await eventually(rounds, (count) => count === 2, { everyMs: 10, seconds: 20 })
  await available(periodic)
  assert.deepEqual([...state.registered], [1, 2, 3])
  assert.ok(messages.some((message) => message.includes('periodic values are missing')))
})

test('a refresh sets a changed period again', async (t) => {
  const { state, periodic } = await setUp(t)
  await available(periodic)
  state.period = 0
  state.registered.clear()
  periodic.refresh()
  assert.equal(periodic.status().available, false)
  await available(periodic)
  assert.deepEqual([state.period, state.registered.size], [30, 3])
})

test('stopping sets the period to zero, and no values arrive afterwards', async (t) => {
  const { state, periodic, link, values } = await setUp(t)
  await available(periodic)
  await periodic.stop()
  assert.deepEqual([state.period, periodic.status().available], [0, false])
  const count = values.length
  assert.equal((await link.read(9, { address: undefined, priority: 'normal' })).toHex(), '3f800000')
  assert.equal(values.length, count)
  await periodic.stop()
})

test('stopping completes during a registration and with an unreachable device', async (t) => {
  const { device, periodic } = await setUp(t)
  await eventually(
    () => device.received().length,
    (count) => count > 0,
    { everyMs: 2 },
  )
  await periodic.stop()
  const other = await setUp(t)
  await other.device.stop()
  await other.periodic.stop()
  assert.equal(other.periodic.status().available, false)
})

test('other requests are served between the steps of a registration', async (t) => {
  const { device, periodic, link } = await setUp(
    t,
    Array.from({ length: 64 }, (_, index) => index + 1),
  )
  await eventually(() => device.received().some(({ command }) => command === 'read-periodically'), Boolean, {
    everyMs: 1,
  })
  const caller = { address: undefined, priority: 'normal' } as const
  await Promise.all(Array.from({ length: 5 }, (_, index) => link.read(1000 + index, caller)))
  const commands = device.received().map(({ objectId }) => objectId)
  assert.ok(commands.indexOf(1004) < commands.indexOf(64) || !commands.includes(64))
  await available(periodic)
})

test('an inverter of a plant is registered by its address', async (t) => {
  const { device, periodic, values } = await setUp(t, [5], 7)
  await available(periodic)
  assert.ok(device.received().every(({ address }) => address === 7))
  await eventually(
    () => values,
    (all) => all.some(([, value]) => value === 2),
    { everyMs: 10 },
  )
})

test('more than 64 objects are refused', async (t) => {
  const { link, timers } = await setUp(t)
  const { log } = createMemoryLog()
  const objectIds = Array.from({ length: 65 }, (_, index) => index)
  const options = {
    link,
    address: undefined,
    objectIds,
    periodSeconds: 30,
    unanswered: new UnansweredObjects(timers),
    prepare: () => Promise.resolve(),
    timers,
    log,
    onValue: () => undefined,
  }
  assert.throws(() => new Periodic(options), RangeError)
})
