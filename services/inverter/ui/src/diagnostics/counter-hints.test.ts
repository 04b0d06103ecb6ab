import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transports } from '../api.ts'
import { countersOf, hintsOf } from './counter-hints.ts'

const quiet: Transports['transports'][number] = {
  endpoint_id: 'a',
  host: 'a',
  port: 1,
  device_ids: ['a'],
  network_ids: [null],
  state: 'connected',
  crc_errors: 0,
  framing_errors: 0,
  discarded_bytes: 0,
  connection_epoch: 1,
  unexpected_frames: 0,
  foreign_access_suspected: false,
  queue_length: 0,
  request_gap_ms: 80,
  locked: false,
  lock_reason: null,
  last_frame_at: null,
}

test('a quiet connection gives no hints and no unusual counter', () => {
  assert.deepEqual(hintsOf(quiet), [])
  assert.equal(
    countersOf(quiet).some(({ isUnusual }) => isUnusual),
    false,
  )
})

test('hints combine several counters', () => {
  assert.match(hintsOf({ ...quiet, crc_errors: 2, framing_errors: 5 }).join(), /bad connection/)
  assert.match(hintsOf({ ...quiet, discarded_bytes: 5 }).join(), /Stray bytes/)
  assert.match(hintsOf({ ...quiet, connection_epoch: 9 }).join(), /Many reconnects/)
  assert.equal(hintsOf({ ...quiet, connection_epoch: 9, crc_errors: 1 }).length, 1)
  assert.match(hintsOf({ ...quiet, foreign_access_suspected: true }).join(), /Another client/)
  assert.equal(countersOf({ ...quiet, connection_epoch: 5 }).find(({ label }) => label === 'Reconnects')?.value, 4)
})
