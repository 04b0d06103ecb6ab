import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noFaults, type Faults } from '../src/simulator/faults.ts'
import {
  assertCounters,
  assertRead,
  assertText,
  countersOf,
  noDamage,
  readFresh,
  startFaulty,
  textOf,
} from './faulty-line.ts'
import type { TestGateway } from './in-process.ts'

/** Escapes in the id: twice a start byte, once an escape byte. */
const escapedIds = ['battery_discharged_amp_hours', 'g_sync_u_l_rms_2']

/** Values of `battery_soc` whose checksum is 2D 2B, 2B 2B and 2B 2D. */
const escapedChecksums = ['3f526d48', '3f148f32', '3f05f267']

const piecesSent = ({ inverter }: TestGateway): number =>
  inverter.wire.filter(({ direction }) => direction === 'out').length

test('1 an answer that arrives byte by byte is read without errors', async () => {
  await using gateway = await startFaulty({})
  for (const byteByByteMs of [1, 10, 50]) {
    gateway.inverter.setFaults({ byteByByteMs })
    const before = piecesSent(gateway)
    for (const name of ['battery_soc', 'inverter_state', ...escapedIds]) await assertRead(gateway, name)
    assert.ok(piecesSent(gateway) - before > 4 * 10)
  }
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1, unexpected_frames: 0 })
})

test('2 an answer split in two at any byte is read as the same value', async () => {
  await using gateway = await startFaulty({ splitPauseMs: 20 }, { speed: 20 })
  for (const payload of ['3f000000', ...escapedChecksums]) {
    gateway.inverter.setFaults({ payloads: { battery_soc: payload } })
    const value = Buffer.from(payload, 'hex').readFloatBE()
    for (let splitAt = 1; splitAt <= 16; splitAt += 1) {
      gateway.inverter.setFaults({ splitAt })
      const { status, body } = await readFresh(gateway, 'battery_soc')
      assert.deepEqual([status, body.value, body.stale], [200, value, false], `cut at ${splitAt}`)
    }
  }
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
})

test('2 the answer is found among frames that arrive in the same chunk', async () => {
  await using gateway = await startFaulty({ together: true, foreignReplies: 5 })
  for (const name of ['battery_soc', 'inverter_state', 'battery_voltage']) await assertRead(gateway, name)
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, unexpected_frames: 15 })
})

test('3 an answer is read when a chunk ends after an escape byte in its length, id, value or checksum', async () => {
  await using gateway = await startFaulty({ splitAfterEscape: true, splitPauseMs: 20 })
  const before = piecesSent(gateway)
  for (const name of escapedIds) await assertRead(gateway, name)
  assert.ok(piecesSent(gateway) - before > escapedIds.length)
  for (const payload of escapedChecksums) {
    gateway.inverter.setFaults({ payloads: { battery_soc: payload } })
    const { status, body } = await readFresh(gateway, 'battery_soc')
    assert.deepEqual([status, body.value], [200, Buffer.from(payload, 'hex').readFloatBE()])
  }
  // With the id these lengths are a start byte and an escape byte.
  for (const length of [0x2b - 4, 0x2d - 4]) await assertText(gateway, textOf(length, 'a+b-c'))
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
})

test('4 garbage between frames is counted, and the next frame is read', async () => {
  await using gateway = await startFaulty({})
  const lengths = { garbage: 10, zeros: 12, bridge: 26, extension: 3 }
  for (const [noise, length] of Object.entries(lengths)) {
    const before = await countersOf(gateway)
    gateway.inverter.setFaults({ noise: noise as Faults['noise'] })
    for (const name of ['battery_soc', 'inverter_state', 'battery_voltage']) await assertRead(gateway, name)
    gateway.inverter.clearFaults()
    const after = await countersOf(gateway)
    assert.equal(after.discarded_bytes - before.discarded_bytes, 3 * length, noise)
  }
  await assertCounters(gateway, { ...noDamage, connection_epoch: 1, unexpected_frames: 0 })
})

test('5 a frame that begins inside another one is read, and the other one is counted as a framing error', async () => {
  await using gateway = await startFaulty({ startByteInside: true })
  for (const name of ['battery_soc', 'inverter_state', 'battery_voltage']) await assertRead(gateway, name)
  gateway.inverter.setFaults(noFaults)
  const { crc_errors: wrong, framing_errors: broken, discarded_bytes: lost } = await countersOf(gateway)
  assert.deepEqual([wrong, broken, lost > 0], [0, 3, true])
})
