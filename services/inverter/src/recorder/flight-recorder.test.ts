import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFrame, type Frame } from '../protocol/frame.ts'
import { misdeclared, wellFormed } from '../protocol/vectors.data.ts'
import { createFlightRecorder, parseCapture } from './flight-recorder.ts'

const timers = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) }

test('frames are returned as they were on the wire', () => {
  const recorder = createFlightRecorder({ timers })
  const { frame, bytes } = wellFormed[0]!
  recorder.record('sent', frame, bytes)
  recorder.record('received', { ...frame, command: 'response', address: 7, payload: Uint8Array.of(1, 255) }, bytes)
  const expected = { at: '2026-01-02T03:04:05.006Z', object_id: '0x959930BF', bytes: '2b0104959930bf0d65' }
  assert.deepEqual(recorder.frames(), [
    { ...expected, direction: 'sent', command: 'read', address: null, payload: '' },
    { ...expected, direction: 'received', command: 'response', address: 7, payload: '01ff' },
  ])
})

test('a capture reads back as what was recorded', () => {
  const recorder = createFlightRecorder({ timers })
  assert.equal(recorder.exportCapture(), '')
  for (const { frame, bytes } of [...wellFormed, ...misdeclared]) recorder.record('received', frame, bytes)
  assert.deepEqual(parseCapture(recorder.exportCapture()), recorder.frames())
  assert.equal(recorder.exportCapture().trimEnd().split('\n').length, wellFormed.length + misdeclared.length)
})

test('only the latest frames are kept, limited by count and bytes', () => {
  const { frame, bytes } = wellFormed[0]!
  const byCount = createFlightRecorder({ timers, maxFrames: 3 })
  for (let objectId = 0; objectId < 10; objectId += 1) byCount.record('sent', { ...frame, objectId }, bytes)
  assert.deepEqual(
    byCount.frames().map((frame) => Number(frame.object_id)),
    [7, 8, 9],
  )
  const byBytes = createFlightRecorder({ timers, maxBytes: 4 * bytes.length + 1 })
  for (let count = 0; count < 10; count += 1) byBytes.record('sent', frame, bytes)
  assert.equal(byBytes.frames().length, 4)
  byBytes.record('sent', frame, new Uint8Array(1000))
  assert.equal(byBytes.frames().length, 0)
})

test('a recording never contains the network password', () => {
  const recorder = createFlightRecorder({ timers })
  const payload = new TextEncoder().encode('correct horse')
  for (const address of [undefined, 7]) {
    const frame: Frame = { command: 'write', address, objectId: 0x14c0e627, payload }
    recorder.record('sent', frame, encodeFrame(frame))
  }
  assert.ok(!recorder.exportCapture().includes(payload.toHex()))
  assert.deepEqual(
    recorder.frames().map(({ payload, bytes }) => payload + bytes),
    ['', ''],
  )
})

test('recorded bytes are a copy', () => {
  const recorder = createFlightRecorder({ timers })
  const bytes = Buffer.from(wellFormed[0]!.bytes)
  recorder.record('sent', wellFormed[0]!.frame, bytes)
  bytes.fill(0)
  assert.equal(recorder.frames()[0]?.bytes, wellFormed[0]!.bytes.toHex())
})

test('an invalid capture is refused with the number of the line', () => {
  const recorder = createFlightRecorder({ timers })
  recorder.record('sent', wellFormed[0]!.frame, wellFormed[0]!.bytes)
  const good = recorder.exportCapture()
  for (const bad of ['nonsense', '{}', good.replace('read', 'shout'), good.replace('2b01', '2b0')])
    assert.throws(() => parseCapture(`${good}\n${bad}`), /line 3 of the capture/)
  assert.equal(parseCapture(`\n${good}\n\n`).length, 1)
})
