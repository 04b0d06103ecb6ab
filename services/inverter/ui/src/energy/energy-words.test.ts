import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnergyDevice } from '../api.ts'
import { limitFor, requirementsOf, toPreviewRequest } from './energy-words.ts'

const device = {
  device_id: 'roof',
  write_support_enabled: true,
  max_charge_power_w: 3000,
  max_discharge_power_w: null,
  gates: { charge: 'closed', discharge: 'engineering', hold: 'closed' },
  required_names: ['a', 'b'],
  approved_names: ['a'],
} as unknown as EnergyDevice

test('what is missing before a command is told, with the place where it is made good', () => {
  assert.deepEqual(
    requirementsOf(device).map(({ isMet, href }) => [isMet, href.split('?')[0]]),
    [
      [true, '/inverters'],
      [false, '/inverters/roof'],
      [true, '/inverters/roof'],
      [false, '/inverters'],
    ],
  )
  assert.match(requirementsOf(device)[2]?.text ?? '', /Engineering/)
})

test('a preview asks for what the command would, for an hour', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  assert.deepEqual(toPreviewRequest({ action: 'charge', target: 80, power: 2000 }, now), {
    mode: 'charge_from_grid',
    valid_until: '2026-01-01T01:00:00.000Z',
    target_soc_percent: 80,
    max_power_w: 2000,
  })
  assert.deepEqual(toPreviewRequest({ action: 'hold', target: 80, power: 2000 }, now), {
    mode: 'hold',
    valid_until: '2026-01-01T01:00:00.000Z',
  })
})

test('each direction has its own limit', () => {
  assert.equal(limitFor('charge', device), 3000)
  assert.equal(limitFor('discharge', device), null)
})
