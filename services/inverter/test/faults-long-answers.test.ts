import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc16 } from '../src/protocol/crc16.ts'
import { encodeFrame } from '../src/protocol/frame.ts'
import {
  assertCounters,
  assertText,
  countersOf,
  noDamage,
  readFresh,
  recovers,
  startFaulty,
  text,
  textOf,
} from './faulty-line.ts'
import { catalog } from './in-process.ts'

/** Maximum payload of a short answer. */
const maxShort = 246

/** A device that is asked without a pause. */
const quick = { periodic_reads: false, request_gap_ms: 0 }

/** Bytes under the checksum when the text is answered in full with the right length. */
function longBody(payload: Uint8Array): Buffer {
  const head = Buffer.alloc(7)
  head.writeUInt8(6, 0)
  head.writeUInt16BE(4 + payload.length, 1)
  head.writeUInt32BE(catalog.byName(text)!.objectId, 3)
  return Buffer.concat([head, payload])
}

test('1 a long answer is read when it arrives byte by byte, whatever length it declares', async () => {
  await using gateway = await startFaulty({ byteByByteMs: 2 }, { speed: 1 })
  for (const longLength of ['large', 'right'] as const) {
    gateway.inverter.setFaults({ longLength })
    await assertText(gateway, textOf(maxShort + 4, `long and ${longLength}`))
  }
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
  // Here a machine that is busy elsewhere looks like a line that fell silent; the question is repeated then.
  gateway.inverter.setFaults({ longLength: 'small' })
  await assertText(gateway, textOf(maxShort + 4, 'long and small'))
})

test('2 a long answer split in two at any byte is read as the same value', async () => {
  await using gateway = await startFaulty({ splitPauseMs: 10 }, { speed: 2, device: quick })
  const head = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  const inside = [20, 100, 247, 250, 251, 252, 253, 254, 255, 258, 259, 260, 261]
  for (const longLength of ['right', 'large'] as const)
    for (const splitAt of [...head, ...inside]) {
      gateway.inverter.setFaults({ longLength, splitAt })
      await assertText(gateway, textOf(maxShort + 1, `cut at ${splitAt}`))
    }
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
  for (const splitAt of inside) {
    gateway.inverter.setFaults({ longLength: 'small', splitAt })
    await assertText(gateway, textOf(maxShort + 1, `cut at ${splitAt}`))
  }
})

test('8 a long answer that declares a wrong length is read completely, also before another frame', async () => {
  await using gateway = await startFaulty({})
  for (const longLength of ['small', 'large', 'right', 'wrong'] as const) {
    gateway.inverter.setFaults({ longLength })
    for (const length of [247, 300, 1000, 3000])
      await assertText(gateway, textOf(length, `${length} bytes and ${longLength}`))
    gateway.inverter.setFaults({ foreignReplies: 2, together: true })
    await assertText(gateway, textOf(280, `after others and ${longLength}`))
    gateway.inverter.setFaults({ foreignReplies: 0, together: false })
  }
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
})

test('8 a long answer that declares too large a length is delivered as soon as the line is idle', async () => {
  await using gateway = await startFaulty({ longLength: 'large' }, { speed: 5 })
  const begin = gateway.timers.monotonic()
  await assertText(gateway, textOf(247, 'silence ends it'))
  assert.ok(gateway.timers.monotonic() - begin < 2500)
  await assertCounters(gateway, { ...noDamage, connection_epoch: 1 })
})

/** A text of `length` bytes whose long answer has this checksum. */
function textWithChecksum(length: number, checksum: number): Uint8Array {
  const bytes = textOf(length, 'with a checksum')
  for (let tail = 0; tail <= 0xff_ff_ff; tail += 1) {
    new DataView(bytes.buffer).setUint32(length - 4, tail)
    if (crc16(longBody(bytes)) === checksum) return bytes
  }
  throw new Error('no such text')
}

test('9 a long answer is read when every byte of its checksum is escaped', async () => {
  await using gateway = await startFaulty({})
  for (const checksum of [0x2b2b, 0x2d2d, 0x2d2b, 0x2b2d, 0xd52d, 0xed2b])
    for (const splitAfterEscape of [false, true]) {
      gateway.inverter.setFaults({ longLength: 'right', splitAfterEscape })
      await assertText(gateway, textWithChecksum(250, checksum))
    }
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
})

/** A text inside of which the long answer's checksum stands, so that its beginning alone is a whole frame. */
function textWithFrameInside(inner: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length).fill(0x61)
  const view = new DataView(bytes.buffer)
  for (let count = 0; count < 0xffff; count += 1) {
    view.setUint16(0, 0x4141 + count)
    const body = longBody(bytes)
    const checksum = crc16(body.subarray(0, 7 + inner))
    const isPlain = [checksum >> 8, checksum & 0xff, 0x41 + (count >> 8), count & 0xff].every(
      (byte) => byte > 0x2d && byte < 0x7f,
    )
    if (!isPlain) continue
    view.setUint16(inner, checksum)
    return bytes
  }
  throw new Error('no such text')
}

test('10 a long answer split where its beginning looks like a complete frame is not truncated', async () => {
  await using gateway = await startFaulty({ longLength: 'right', splitPauseMs: 5 }, { speed: 1 })
  const [inner, separator, start] = [100, 1, 1]
  const payload = textWithFrameInside(inner, 260)
  const cut = separator + start + 7 + inner + 2
  const beginning = encodeFrame({
    command: 'response',
    address: undefined,
    objectId: catalog.byName(text)!.objectId,
    payload,
  }).subarray(1, cut - 1)
  assert.equal(crc16(beginning.subarray(0, -2)), Buffer.from(beginning).readUInt16BE(beginning.length - 2))
  gateway.inverter.setFaults({ splitAt: cut })
  await assertText(gateway, payload)
  await assertCounters(gateway, { ...noDamage, discarded_bytes: 0, connection_epoch: 1 })
})

test('11 a long answer that never completes causes only a reconnect', async () => {
  await using gateway = await startFaulty({ truncateLong: true }, { speed: 20 })
  gateway.inverter.setFaults({ payloads: { [text]: Buffer.from(textOf(300, 'never whole')).toString('hex') } })
  const { status, body } = await readFresh(gateway, text)
  assert.deepEqual([status, body.code], [502, 'device_timeout'])
  await recovers(gateway)
  await assertCounters(gateway, { connection_epoch: 2, crc_errors: 0 })
  gateway.inverter.setFaults({ truncateLong: false })
  await assertText(gateway, textOf(300, 'whole'))
})

test('12 an endless stream causes only a reconnect', async () => {
  await using gateway = await startFaulty({}, { speed: 20 })
  const requests = () => gateway.inverter.wire.filter(({ direction }) => direction === 'in').length
  let epoch = 1
  for (let round = 1; round <= 3; round += 1) {
    const before = requests()
    gateway.inverter.setFaults({ endless: true })
    const { status, body } = await readFresh(gateway, 'battery_voltage')
    assert.ok(status === 502 || body.stale, `${status} ${body.source}`)
    gateway.inverter.setFaults({ endless: false })
    // On a busy machine the next connection asks who is there before the fault is switched off.
    assert.ok(requests() > before)
    epoch += requests() - before
    await recovers(gateway, 'battery_voltage')
    const { connection_epoch: seen } = await countersOf(gateway)
    assert.equal(seen, epoch)
  }
})
