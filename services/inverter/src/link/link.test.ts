import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createFastTimers, systemTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { bootloaderBytes } from '../protocol/outside-bytes.ts'
import { longResponses, misdeclared, nested, responses } from '../protocol/vectors.data.ts'
import { LinkError, type LinkFailure } from './link-errors.ts'
import { Link } from './link.ts'
import type { LinkOptions } from './link-options.ts'
import type { Priority } from './send-queue.ts'
import { answerTo, createMemoryLog, response, startScriptedDevice, type Script } from './scripted-device.data.ts'

const soc = 0x959930bf
const normal = { address: undefined, priority: 'normal' } as const
const half = '3f000000'
const echo: Script = (frame) => (frame.command === 'write' ? [] : [answerTo(frame, half)])

/** A device and a link to it that end with the test. Times pass `speed` times as fast. */
async function setUp(t: TestContext, script: Script, options: Partial<LinkOptions> & { speed?: number } = {}) {
  const device = await startScriptedDevice(script)
  const { log, messages } = createMemoryLog()
  const { speed = 1, timing, ...others } = options
  const timers = speed === 1 ? systemTimers : createFastTimers(speed)
  const link = new Link({
    host: '127.0.0.1',
    port: device.port,
    gapMs: 0,
    timers,
    log,
    ...others,
    timing: { connectMs: 3000 * speed, ...timing },
  })
  t.after(async () => {
    await link.close()
    await device.stop()
  })
  return { device, link, messages, timers }
}

function failsWith(failure: LinkFailure, sent?: boolean) {
  return (error: unknown) =>
    error instanceof LinkError && error.failure === failure && (sent === undefined || error.sent === sent)
}

const connected = (link: Link, epoch = 1) =>
  eventually(
    () => link.status(),
    (status) => status.state === 'connected' && status.epoch >= epoch,
    { everyMs: 2 },
  )

test('the link connects by itself and reads a value', async (t) => {
  const seen: string[] = []
  const { device, link, messages } = await setUp(t, echo, {
    onFrame: (direction, frame, bytes) => seen.push(`${direction} ${frame.command} ${bytes.toHex()}`),
  })
  assert.equal((await link.read(soc, normal)).toHex(), half)
  assert.deepEqual(seen, ['sent read 2b0104959930bf0d65', `received response ${responses[1]!.bytes.toHex()}`])
  const status = link.status()
  assert.deepEqual([status.state, status.epoch, status.queueLength], ['connected', 1, 0])
  assert.deepEqual([status.framesSent, status.framesReceived, status.unexpectedFrames], [1, 1, 0])
  assert.ok(Math.abs(Date.now() - (status.lastFrameAt ?? 0)) < 5000)
  assert.equal(device.accepted, 1)
  assert.deepEqual(messages, ['the device answers'])
})

test('concurrent requests are sent one at a time with a pause between them', async (t) => {
  const { device, link } = await setUp(t, echo, { gapMs: 25 })
  const ids = Array.from({ length: 12 }, (_, index) => 1000 + index)
  const write = link.write(1, new Uint8Array(4), normal)
  const payloads = await Promise.all(ids.map((id) => link.read(id, normal)))
  await write
  assert.ok(payloads.every((payload) => payload.toHex() === half))
  assert.deepEqual(
    device.received().map(({ objectId }) => objectId),
    [1, ...ids],
  )
  let last = Number.NEGATIVE_INFINITY
  for (const [index, { direction, at, frame }] of device.wire.entries()) {
    if (direction === 'received' && index > 0) {
      const before = device.wire[index - 1]!
      assert.ok(before.direction === 'sent' || before.frame.command === 'write', 'nothing open when a request comes')
      if (before.direction === 'sent') assert.ok(at - last >= 20, `pause of ${at - last} ms before ${frame.objectId}`)
    }
    last = at
  }
})

test('a read ignores frames of other objects and devices that arrive before its answer', async (t) => {
  const foreign = Array.from({ length: 20 }, (_, index) => response(5000 + index, '11111111'))
  const { link } = await setUp(t, (frame) => [
    ...foreign,
    response(frame.objectId, '22222222', (frame.address ?? 0) + 1),
    ...(frame.address === undefined ? [] : [response(frame.objectId, '33333333')]),
    { ...answerTo(frame, '44444444'), command: 'write' },
    answerTo(frame, half),
  ])
  assert.equal((await link.read(soc, normal)).toHex(), half)
  assert.equal((await link.read(soc, { address: 7, priority: 'normal' })).toHex(), half)
  const status = link.status()
  assert.deepEqual([status.unexpectedFrames, status.foreignAccessSuspected], [45, true])
})

test('the suspicion of foreign access ends after a minute without unexpected frames', async (t) => {
  const { device, link, timers } = await setUp(t, echo, { speed: 100, timing: { readMs: 600_000 } })
  await connected(link)
  device.send(...Array.from({ length: 10 }, () => response(5, half)))
  await eventually(() => link.status().foreignAccessSuspected, Boolean, { everyMs: 2 })
  const begin = timers.monotonic()
  await eventually(
    () => link.status().foreignAccessSuspected,
    (is) => !is,
    { everyMs: 5 },
  )
  assert.ok(timers.monotonic() - begin > 50_000)
})

test('a flood of another client’s requests causes a reconnect; answers to other clients do not', async (t) => {
  const { device, link } = await setUp(t, echo, { timing: { backOffMs: [20, 100] } })
  await connected(link)
  device.send(...Array.from({ length: 100 }, () => response(5, half)))
  await link.read(soc, normal)
  assert.equal(link.status().epoch, 1)
  device.send(...Array.from({ length: 51 }, () => ({ ...response(5, ''), command: 'read' as const })))
  await connected(link, 2)
})

test('registered values reach the listener and do not count as unexpected; other values do not reach it', async (t) => {
  const { device, link } = await setUp(t, echo)
  const heard: string[] = []
  const stop = link.onValue((address, objectId, payload) => heard.push(`${address} ${objectId} ${payload.toHex()}`))
  link.setRegistered(undefined, new Set([1]))
  link.setRegistered(7, new Set([2]))
  await connected(link)
  device.send(response(1, '01'), response(2, '02'), response(1, '03', 7), response(2, '04', 7))
  await eventually(
    () => heard,
    (all) => all.length === 2,
    { everyMs: 2 },
  )
  await link.read(1, normal)
  assert.deepEqual(heard, ['undefined 1 01', '7 2 04'])
  assert.equal(link.status().unexpectedFrames, 2)
  stop()
  device.send(response(1, '05'))
  await eventually(
    () => link.status().framesReceived,
    (count) => count === 6,
    { everyMs: 2 },
  )
  assert.equal(heard.length, 2)
})

test('without an answer within five seconds the connection is closed and reopened', async (t) => {
  const { device, link, timers, messages } = await setUp(
    t,
    (frame) => (frame.objectId === 1 ? [] : echo(frame, null!)),
    {
      speed: 10,
      gapMs: 80,
    },
  )
  await link.read(soc, normal)
  const events: string[] = []
  link.onConnected((epoch) => events.push(`connected ${epoch}`))
  link.onDisconnected((reason) => events.push(`lost: ${reason}`))
  const begin = timers.monotonic()
  const waiting = link.read(2, normal)
  const [silent, behind] = await Promise.allSettled([link.read(1, normal), link.read(3, normal)])
  await waiting
  assert.ok(timers.monotonic() - begin >= 5000)
  assert.ok(silent.status === 'rejected' && failsWith('timeout', true)(silent.reason))
  // What waited behind the question goes out on the next connection: the device answered just before.
  assert.ok(behind.status === 'fulfilled')
  await connected(link, 2)
  assert.equal(link.status().gapMs, 160)
  assert.equal((await link.read(soc, normal)).toHex(), half)
  assert.deepEqual(events, ['lost: timeout', 'connected 2'])
  assert.deepEqual(messages, ['the device answers', 'the device does not answer', 'the device answers'])
  assert.equal(device.accepted, 2)
})

test('a reset by the device fails the open request and the link reconnects', async (t) => {
  const { device, link } = await setUp(t, (frame) => (frame.objectId === 1 ? [] : echo(frame, null!)), {
    timing: { backOffMs: [50, 100] },
  })
  const open = link.read(1, normal)
  await eventually(
    () => device.received(),
    (all) => all.length === 1,
    { everyMs: 2 },
  )
  device.dropConnections()
  await assert.rejects(open, failsWith('unreachable', true))
  await assert.rejects(link.read(soc, normal), failsWith('unreachable', false))
  await connected(link, 2)
  assert.equal((await link.read(soc, normal)).toHex(), half)
})

test('a late answer to a timed-out request is not taken for the answer to the next request', async (t) => {
  const { device, link } = await setUp(t, () => undefined, { timing: { readMs: 500 } })
  await assert.rejects(link.register(1, normal), failsWith('timeout', true))
  device.play((frame) => [response(1, '11111111'), answerTo(frame, half)])
  assert.equal((await link.read(2, normal)).toHex(), half)
  assert.deepEqual([link.status().epoch, link.status().unexpectedFrames], [1, 1])
})

test('a write resolves when its bytes are sent, and its confirmation does not count as unexpected', async (t) => {
  const { device, link } = await setUp(t, (frame) => [answerTo(frame, half)])
  await link.write(soc, Uint8Array.fromHex(half), normal)
  await link.read(2, normal)
  assert.deepEqual(
    device.received().map(({ command, payload }) => `${command} ${payload.toHex()}`),
    ['write 3f000000', 'read '],
  )
  assert.equal(link.status().unexpectedFrames, 0)
  await assert.rejects(link.write(soc, new Uint8Array(5000), normal), RangeError)
})

test('a query sends a write and returns its answer, including a long one', async (t) => {
  const { device, link } = await setUp(t, () => [longResponses[0]!.bytes])
  const payload = await link.query(0x5293b668, Uint8Array.fromHex('6553f100'), normal)
  assert.equal(payload.toHex(), longResponses[0]!.frame.payload.toHex())
  assert.equal(device.received()[0]?.command, 'write')
})

test('a long answer is read completely despite a wrong length or a split where it looks complete', async (t) => {
  for (const { bytes, frame } of misdeclared) {
    const { link } = await setUp(t, () => [bytes])
    assert.equal((await link.query(frame.objectId, new Uint8Array(4), normal)).toHex(), frame.payload.toHex())
  }
  const script: Script = (_, connection) => {
    connection.write(nested.bytes.subarray(0, nested.inner))
    setTimeout(() => connection.write(nested.bytes.subarray(nested.inner)), 5)
    return []
  }
  const { link } = await setUp(t, script, { timing: { idleGapMs: 1000 } })
  const payload = await link.query(nested.frame.objectId, new Uint8Array(4), normal)
  assert.equal(payload.toHex(), nested.frame.payload.toHex())
})

test('an answer may arrive byte by byte', async (t) => {
  const { link } = await setUp(t, (_, connection) => {
    const rest = [...responses[5]!.bytes]
    const next = () => {
      const byte = rest.shift()
      if (byte === undefined) return
      connection.write(Uint8Array.of(byte))
      setTimeout(next, 2)
    }
    next()
    return []
  })
  assert.equal((await link.read(soc, normal)).toHex(), responses[5]!.frame.payload.toHex())
  const { crcErrors, framingErrors, discardedBytes } = link.status()
  assert.deepEqual([crcErrors, framingErrors, discardedBytes], [0, 0, 0])
})

const damaged = Uint8Array.fromHex('2b0508959930bf3f000000a93e')

test('a read with a damaged answer is repeated after a pause, at most twice', async (t) => {
  let count = 0
  const { device, link } = await setUp(t, (frame) => (++count < 3 ? [damaged] : [answerTo(frame, half)]))
  const begin = performance.now()
  assert.equal((await link.read(soc, normal)).toHex(), half)
  assert.ok(performance.now() - begin >= 480)
  assert.deepEqual([device.received().length, link.status().crcErrors, link.status().epoch], [3, 2, 1])

  device.play(() => [damaged])
  await assert.rejects(link.read(soc, normal), failsWith('protocol', true))
  assert.equal(device.received().length, 6)
  device.play(echo)
  assert.equal((await link.read(soc, normal)).toHex(), half)
  assert.equal(link.status().epoch, 1)
})

test('a query whose answer is damaged is not sent again', async (t) => {
  const { device, link } = await setUp(t, () => [damaged])
  await assert.rejects(link.query(soc, new Uint8Array(4), normal), failsWith('protocol', true))
  assert.equal(device.received().length, 1)
})

test('a damaged frame before the answer does not prevent the answer from being read', async (t) => {
  const { device, link } = await setUp(t, (frame) => [damaged, answerTo(frame, half)])
  assert.equal((await link.read(soc, normal)).toHex(), half)
  assert.equal(device.received().length, 1)
})

test('requests with a higher priority go first, and a full queue refuses new ones', async (t) => {
  const { device, link } = await setUp(t, () => [], { timing: { queueLength: 4 } })
  await connected(link)
  const first = link.read(1, normal)
  await eventually(
    () => device.received(),
    (all) => all.length === 1,
    { everyMs: 2 },
  )
  const read = (objectId: number, priority: Priority) => link.read(objectId, { address: undefined, priority })
  const queued = [read(2, 'background'), read(3, 'normal'), read(4, 'control'), read(5, 'normal')]
  queued.push(read(6, 'normal'))
  await assert.rejects(queued[0]!, failsWith('queue-full', false))
  await assert.rejects(read(7, 'background'), failsWith('queue-full', false))
  device.play(echo)
  device.send(response(1, half))
  await Promise.all([first, ...queued.slice(1)])
  assert.deepEqual(
    device.received().map(({ objectId }) => objectId),
    [1, 4, 3, 5, 6],
  )
})

test('a request that waits too long in the queue is refused', async (t) => {
  const { device, link } = await setUp(t, () => [], { timing: { queueWaitMs: 100 } })
  await connected(link)
  const first = link.read(1, normal)
  await eventually(
    () => device.received(),
    (all) => all.length === 1,
    { everyMs: 2 },
  )
  await assert.rejects(link.read(2, normal), failsWith('queue-timeout', false))
  device.send(response(1, half))
  await first
  assert.deepEqual([device.received().length, link.status().queueLength], [1, 0])
})

test('a write that is forbidden while it waits is not sent, and the next request goes out', async (t) => {
  const { device, link } = await setUp(t, () => [])
  await connected(link)
  const first = link.read(1, normal)
  await eventually(
    () => device.received(),
    (all) => all.length === 1,
    { everyMs: 2 },
  )
  let isAllowed = true
  const check = () => {
    if (!isAllowed) throw new Error('not any more')
  }
  const writing = link.write(2, new Uint8Array(4), { ...normal, check })
  const last = link.read(3, normal)
  isAllowed = false
  device.play(echo)
  device.send(response(1, half))
  await assert.rejects(writing, /not any more/)
  await Promise.all([first, last])
  assert.deepEqual(
    device.received().map(({ objectId }) => objectId),
    [1, 3],
  )
})

test('an unreachable device is retried with growing delays, and logged once', async (t) => {
  const { device, link, messages, timers } = await setUp(t, echo, { speed: 300 })
  device.onAccept((socket) => socket.destroy())
  device.dropConnections()
  const begin = timers.monotonic()
  await eventually(
    () => timers.monotonic() - begin,
    (ms) => ms > 300_000,
    { everyMs: 20 },
  )
  // 1, 2, 4, 8, 16, 32, 60, 60 … seconds.
  assert.ok(device.accepted >= 5 && device.accepted <= 12, `${device.accepted} attempts`)
  assert.deepEqual(messages, ['the device does not answer'])
  // Between two attempts; during one it is connecting.
  await eventually(
    () => link.status().state,
    (state) => state === 'backing-off',
    { everyMs: 2 },
  )
  await assert.rejects(link.read(soc, normal), failsWith('unreachable', false))
})

test('an address without a device fails every request', async (t) => {
  const device = await startScriptedDevice(echo)
  await device.stop()
  const { log, messages } = createMemoryLog()
  const link = new Link({ host: 'localhost', port: device.port, gapMs: 0, timers: createFastTimers(20), log })
  t.after(() => link.close())
  await assert.rejects(link.read(soc, normal), failsWith('unreachable', false))
  await eventually(
    () => link.status().state,
    (state) => state === 'backing-off',
    { everyMs: 2 },
  )
  assert.deepEqual(messages, ['the device does not answer'])
  assert.equal(link.status().epoch, 0)
})

test('a device that accepts connections but does not answer is retried with growing delays', async (t) => {
  const { device, link, timers, messages } = await setUp(t, () => [], { speed: 100 })
  const begin = timers.monotonic()
  while (timers.monotonic() - begin < 120_000) {
    await link.read(soc, normal).catch(() => undefined)
    await timers.delay(100)
  }
  assert.ok(device.accepted <= 7, `${device.accepted} connections`)
  assert.deepEqual(messages, ['the device does not answer'])
})

test('a control request triggers an immediate connection attempt, at most once a second', async (t) => {
  const { device, link, timers } = await setUp(t, echo, { speed: 10, timing: { backOffMs: [60_000, 60_000] } })
  await connected(link)
  device.onAccept((socket) => socket.destroy())
  device.dropConnections()
  await eventually(
    () => link.status().state,
    (state) => state === 'backing-off',
    { everyMs: 2 },
  )
  const control = () => link.read(soc, { address: undefined, priority: 'control' })
  const begin = timers.monotonic()
  while (device.accepted < 5) {
    await assert.rejects(control(), failsWith('unreachable'))
    await timers.delay(50)
  }
  assert.ok(timers.monotonic() - begin >= 2900)
  device.onAccept(() => undefined)
  await eventually(control, (payload) => payload.toHex() === half, { everyMs: 20 })
})

test('the bootloader stops all sending until a probe after the cool-down is answered', async (t) => {
  const { device, link, timers } = await setUp(t, () => [], {
    speed: 400,
    timing: { readMs: 200_000, queueWaitMs: 1_000_000 },
    probe: { objectId: 99, address: undefined },
  })
  const active: boolean[] = []
  link.onMaintenance((is) => active.push(is))
  const open = link.read(1, normal)
  await eventually(
    () => device.received(),
    (all) => all.length === 1,
    { everyMs: 2 },
  )
  const waiting = link.read(2, normal)
  const outcomes = Promise.allSettled([open, waiting])
  const begin = timers.monotonic()
  device.send(bootloaderBytes)
  for (const [index, outcome] of (await outcomes).entries()) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof LinkError)
    assert.deepEqual([outcome.reason.failure, outcome.reason.sent], ['maintenance', index === 0])
    assert.ok((outcome.reason.retryAfterSeconds ?? 0) > 0 && (outcome.reason.retryAfterSeconds ?? 999) <= 300)
  }
  assert.equal(link.status().state, 'maintenance')
  assert.ok((link.status().maintenanceUntil ?? 0) > timers.now())
  await assert.rejects(
    link.read(3, { address: undefined, priority: 'control' }),
    (error) => failsWith('maintenance', false)(error) && (error as LinkError).retryAfterSeconds !== undefined,
  )
  for (let count = 0; count < 100; count += 1) device.send(bootloaderBytes)

  // The first probe stays without an answer: one more cool-down, and one more probe.
  const probes = () => device.received().filter(({ objectId }) => objectId === 99).length
  await eventually(probes, (count) => count === 1, { everyMs: 5 })
  assert.ok(timers.monotonic() - begin >= 300_000)
  assert.equal(device.received().length, 2)
  device.play(echo)
  await eventually(
    () => link.status().state,
    (state) => state === 'connected',
    { everyMs: 5 },
  )
  assert.deepEqual([probes(), device.received().length], [2, 3])
  assert.deepEqual(active, [true, false])
  assert.equal((await link.read(soc, normal)).toHex(), half)
})

test('bootloader bytes inside a value belong to the value', async (t) => {
  const { link } = await setUp(t, (frame) => [answerTo(frame, '50f705ab')])
  assert.equal((await link.read(soc, normal)).toHex(), '50f705ab')
  assert.equal(link.status().state, 'connected')
})

test('a device that sends without end is disconnected', async (t) => {
  const { device, link } = await setUp(t, echo, { timing: { backOffMs: [20, 50] } })
  await connected(link)
  device.send(Uint8Array.fromHex('2b06ffff11111111'), new Uint8Array(20_000).fill(0x11))
  await connected(link, 2)
  assert.equal((await link.read(soc, normal)).toHex(), half)
})

test('a device that accepts no more bytes is disconnected, and the outcome of the write is unknown', async (t) => {
  const { device, link } = await setUp(t, () => [], { speed: 10 })
  device.onAccept((socket) => socket.pause())
  await connected(link)
  device.dropConnections()
  await connected(link, 2)
  const payload = new Uint8Array(4000)
  const flood = async () => {
    for (let count = 0; count < 5000; count += 1) await link.write(1, payload, normal)
  }
  await assert.rejects(flood(), failsWith('unreachable', true))
})

test('closing fails pending requests and closes the connection', async (t) => {
  const { device, link } = await setUp(t, () => [])
  const open = [link.read(1, normal), link.read(2, normal)]
  await eventually(
    () => device.received(),
    (all) => all.length === 1,
    { everyMs: 2 },
  )
  const outcomes = Promise.allSettled(open)
  await link.close()
  for (const outcome of await outcomes) assert.ok(outcome.status === 'rejected' && failsWith('closed')(outcome.reason))
  await assert.rejects(link.read(1, normal), failsWith('closed', false))
  assert.equal(link.status().state, 'closed')
  await link.close()
  assert.equal(device.accepted, 1)
})
