import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { createFlightRecorder } from './flight-recorder.ts'

const frame = (objectId: number, payload: string) =>
  ({ command: 'response', address: undefined, objectId, payload: Buffer.from(payload, 'hex') }) as const

test('frames are kept in order, one a line, without secrets', () => {
  const recorder = createFlightRecorder({ timers: systemTimers })
  recorder.record('sent', { ...frame(0x959930bf, ''), command: 'read' })
  recorder.record('received', frame(0x959930bf, '3f000000'))
  recorder.record('received', frame(0x14c0e627, '68756e74657232'))
  const lines = recorder
    .exportCapture()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    lines.map(({ direction, object_id, payload }) => [direction, object_id, payload]),
    [
      ['sent', '0x959930BF', ''],
      ['received', '0x959930BF', '3f000000'],
      ['received', '0x14C0E627', ''],
    ],
  )
})

test('a busy connection does not fill the memory', () => {
  const recorder = createFlightRecorder({ timers: systemTimers })
  for (let count = 0; count < 5000; count += 1) recorder.record('received', frame(count, '00'.repeat(2000)))
  assert.ok(recorder.frames().length <= 500)
  assert.equal(recorder.frames().at(-1)?.object_id, '0x00001387')
})
