import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseLine } from '../../test/line-protocol-server.ts'
import type { MetricValue } from '../metrics/schema.ts'
import { linesOf } from './line-protocol.ts'

const at = '2026-11-27T12:00:00.250Z'
const value = (name: string, read: MetricValue['value'], timestamp = at) =>
  Object.assign({} as MetricValue, { name, value: read, timestamp })
const options = { measurement: 'inverter', deviceId: 'main', precision: 'ms' } as const

test('values that were read together are fields of one line, with the time at which they were read', () => {
  const values = [
    value('grid_power', -569.9000244140625),
    value('battery_soc', 1),
    value('house', 250.5, '2026-11-27T11:59:58.000Z'),
    value('is_on', true),
    value('text', 'a "b" \\c\nd'),
    value('empty', ''),
    value('cells', { cells: [] }),
  ]
  assert.deepEqual(linesOf(values, options), [
    'inverter,device=main house=250.5 1795780798000',
    'inverter,device=main grid_power=-569.9,battery_soc=1,is_on=true,text="a \\"b\\" \\\\c d" 1795780800250',
  ])
  assert.deepEqual(linesOf([value('battery_soc', 0.5)], { ...options, precision: 's', deviceId: 'my, home=1\\' }), [
    'inverter,device=my\\,\\ home\\=1 battery_soc=0.5 1795780800',
  ])
})

test('whatever the values are, each line can be read, and no number becomes another', () => {
  const read = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.array(read, { minLength: 1 }), (deviceId, values) => {
      const lines = linesOf(
        values.map((each, index) => value(`m${index}`, each)),
        { ...options, deviceId },
      )
      for (const line of lines) {
        const { fields } = parseLine(line)
        for (const [name, text] of Object.entries(fields)) {
          const original = values[Number(name.slice(1))]
          if (typeof original === 'number')
            assert.ok(Math.abs(Number(text) - original) <= Math.abs(original) * 1e-6, `${text} for ${original}`)
        }
      }
    }),
  )
})
