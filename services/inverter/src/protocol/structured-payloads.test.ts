import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import * as cells from './battery-cells.ts'
import { decodeEventTable, encodeEventTable, parameterChanged } from './event-table.ts'
import { decodeSlaveData, encodeSlaveData } from './slave-data.ts'
import { decodeTimeSeries, encodeHistoryRequest, encodeTimeSeries } from './time-series.ts'
import { DecodeError } from './wire-value.ts'
import { longResponses, misdeclared, responses } from './vectors.data.ts'

const payloadOf = (name: string) =>
  [...responses, ...longResponses].find((vector) => vector.name === name)?.frame.payload ?? assert.fail(name)
const uint = (bits: 8 | 16 | 32) => fc.nat(2 ** bits - 1)
const number = fc.float({ noNaN: true, noDefaultInfinity: true })
const single = fc.option(number)

test('slave data of a real device are decoded and encoded', () => {
  const payload = payloadOf('net.slave_data')
  const data = decodeSlaveData(payload)
  assert.deepEqual(data, {
    networkId: 7,
    name: 'Gateway demo',
    acPower: 1234.5,
    batteryPower: -250,
    stateOfCharge: Math.fround(0.755),
    faultIndex: 0,
    isBatterySupported: true,
    isBatteryConnected: true,
    isDcSupported: true,
    hasExternalPower: false,
    deviceState: 13,
    externalPower: 0,
    softwareVersion: '2.3.5687',
    serialNumber: 'A123B456C789',
    completeness: 1,
    bmsSoftware: 0x01020304,
  })
  assert.equal(encodeSlaveData(data).toHex(), payload.toHex())
  assert.deepEqual(decodeSlaveData(payloadOf('slave data')), data)
})

test('every slave record is decoded as it was encoded', () => {
  const text = (length: number) => fc.stringMatching(new RegExp(`^[ -~]{0,${length}}$`))
  const record = fc.record(
    {
      networkId: uint(32),
      name: text(24),
      acPower: single,
      batteryPower: single,
      stateOfCharge: single,
      faultIndex: uint(16),
      isBatterySupported: fc.boolean(),
      isBatteryConnected: fc.boolean(),
      isDcSupported: fc.boolean(),
      hasExternalPower: fc.boolean(),
      deviceState: uint(8),
      externalPower: single,
      softwareVersion: text(16),
      serialNumber: text(16),
      completeness: uint(32),
      bmsSoftware: uint(32),
    },
    { noNullPrototype: true },
  )
  fc.assert(fc.property(record, (data) => assert.deepEqual(decodeSlaveData(encodeSlaveData(data)), data)))
})

test('a name that is too long is truncated at a character boundary', () => {
  const data = { ...decodeSlaveData(payloadOf('net.slave_data')), name: `${'x'.repeat(23)}ü and more` }
  assert.equal(decodeSlaveData(encodeSlaveData(data)).name, 'x'.repeat(23))
})

test('battery cells are decoded and encoded', () => {
  const payload = payloadOf('battery.cells[0]')
  const all = cells.decodeCells(payload)
  assert.equal(all.length, 24)
  for (const cell of all) assert.deepEqual(cell, { temperature: 23, millivolts: 3371, status: 0 })
  assert.equal(cells.encodeCells(all).toHex(), payload.toHex())
})

test('the extremes of battery cells are decoded and encoded', () => {
  const payload = payloadOf('battery.cells_stat[0]')
  const at = 1_700_000_000
  const extremes = cells.decodeCellsStat(payload)
  assert.deepEqual(extremes, {
    lowestVoltage: { cell: 3, at, value: Math.fround(3.1) },
    highestVoltage: { cell: 4, at, value: Math.fround(3.4) },
    lowestTemperature: { cell: 5, at, value: 11 },
    highestTemperature: { cell: 6, at, value: 31 },
  })
  assert.equal(cells.encodeCellsStat(extremes).toHex(), payload.toHex())
})

test('the resistances of battery cells are decoded and encoded', () => {
  const payload = payloadOf('battery.cells_resist[0]')
  const milliohms = cells.decodeCellsResist(payload)
  assert.deepEqual(
    milliohms,
    Array.from({ length: 24 }, () => 2.5),
  )
  assert.equal(cells.encodeCellsResist(milliohms).toHex(), payload.toHex())
})

test('every battery module is decoded as it was encoded', () => {
  const cell = fc.record({ temperature: uint(8), millivolts: uint(16), status: uint(8) }, { noNullPrototype: true })
  const extreme = fc.record({ cell: uint(32), at: uint(32), value: single }, { noNullPrototype: true })
  const extremes = fc.record(
    { lowestVoltage: extreme, highestVoltage: extreme, lowestTemperature: extreme, highestTemperature: extreme },
    { noNullPrototype: true },
  )
  const module = { minLength: 24, maxLength: 24 }
  fc.assert(
    fc.property(fc.array(cell, module), extremes, fc.array(uint(16), module), (all, extremes, raw) => {
      assert.deepEqual(cells.decodeCells(cells.encodeCells(all)), all)
      assert.deepEqual(cells.decodeCellsStat(cells.encodeCellsStat(extremes)), extremes)
      const milliohms = raw.map((value) => value / 256)
      assert.deepEqual(cells.decodeCellsResist(cells.encodeCellsResist(milliohms)), milliohms)
    }),
  )
})

test('time series are decoded and encoded, and those recorded from real devices are complete', () => {
  const series = decodeTimeSeries(payloadOf('three pairs'))
  const before = 1_700_000_000
  const points = [0.5, 0.625, 0.75].map((value, index) => ({ time: before - 300 * (index + 1), value }))
  assert.deepEqual(series, { before, points })
  assert.equal(encodeTimeSeries(series).toHex(), payloadOf('three pairs').toHex())
  assert.deepEqual(
    misdeclared.map(({ frame }) => decodeTimeSeries(frame.payload).points.length),
    [3, 2, 1, 0],
  )
  assert.equal(encodeHistoryRequest(before).toHex(), '6553f100')
})

test('an event table is decoded and encoded', () => {
  const payload = payloadOf('an event')
  const table = decodeEventTable(payload)
  const row = { type: parameterChanged, time: 1_699_999_940, e2: 0x959930bf, e3: 1, e4: 2 }
  assert.deepEqual(table, { before: 1_700_000_000, rows: [row] })
  assert.equal(encodeEventTable(table).toHex(), payload.toHex())
})

test('a point that is not a number is left out', () => {
  const payload = Uint8Array.fromHex('6553f1006553efd47fc000006553eea83f200000')
  assert.deepEqual(decodeTimeSeries(payload).points, [{ time: 0x6553eea8, value: 0.625 }])
})

test('every log is decoded as it was encoded', () => {
  const point = fc.record({ time: uint(32), value: number }, { noNullPrototype: true })
  const row = fc.record(
    { type: uint(32), time: uint(32), e2: uint(32), e3: uint(32), e4: uint(32) },
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(uint(32), fc.array(point), fc.array(row), (before, points, rows) => {
      assert.deepEqual(decodeTimeSeries(encodeTimeSeries({ before, points })), { before, points })
      assert.deepEqual(decodeEventTable(encodeEventTable({ before, rows })), { before, rows })
    }),
  )
})

test('a payload with a wrong length is refused', () => {
  const wrong: [(payload: Uint8Array) => unknown, number][] = [
    [decodeSlaveData, 107],
    [decodeSlaveData, 109],
    [cells.decodeCells, 95],
    [cells.decodeCellsStat, 96],
    [cells.decodeCellsResist, 48],
    [decodeTimeSeries, 0],
    [decodeTimeSeries, 8],
    [decodeEventTable, 12],
    [decodeEventTable, 0],
  ]
  for (const [decode, length] of wrong) assert.throws(() => decode(new Uint8Array(length)), DecodeError, decode.name)
})

test('a record is decoded at its offset in a larger buffer', () => {
  const payload = payloadOf('net.slave_data')
  const all = Buffer.concat([Buffer.from([1, 2, 3]), payload, Buffer.from([4])])
  assert.equal(decodeSlaveData(all.subarray(3, 3 + payload.length)).networkId, 7)
})
