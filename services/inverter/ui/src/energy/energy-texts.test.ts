import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnergyDevice } from '../api.ts'
import { limitFor, requirementsOf, toPreviewRequest, unmetFor } from './energy-texts.ts'

const capability = (name: string, more: object = {}) => ({ name, status: 'verified', missing_evidence: [], ...more })

const device = {
  device_id: 'roof',
  mode: 'manual',
  write_support_enabled: true,
  engineering_mode: false,
  max_charge_power_w: 3000,
  max_discharge_power_w: null,
  grid_limit_w: null,
  capabilities: [
    capability('write_path_convention', { status: 'unverified', missing_evidence: ['soc_strategy_external_code'] }),
    capability('battery_power_sign_convention'),
    capability('grid_power_sign_convention', { status: 'unverified' }),
  ],
  required_names: ['a', 'b'],
  approved_names: ['a'],
} as unknown as EnergyDevice

test('every requirement of a command is listed with a link to the page that fulfils it', () => {
  assert.deepEqual(
    requirementsOf(device).map(({ isMet, text, href }) => [isMet, text, href]),
    [
      [true, 'Write access is on', '/inverters'],
      [true, 'Charge limit is set', '/inverters/roof'],
      [false, 'Discharge limit is set', '/inverters/roof'],
      [
        false,
        'Write method is verified; “External control code” is missing',
        '/inverters/roof?capability=write_path_convention',
      ],
      [true, 'Battery power sign is verified', '/inverters/roof?capability=battery_power_sign_convention'],
      [false, 'Grid power sign is verified', '/inverters/roof?capability=grid_power_sign_convention'],
      [false, 'Approved for writing: b', '/inverters?tab=metrics&q=power_mng&view=writable'],
    ],
  )
})

test('an action lists only its own requirements, and engineering mode still needs the external control code', () => {
  const texts = (action: 'charge' | 'discharge', other: EnergyDevice) =>
    unmetFor(action, other).map(({ text }) => text.split(';')[0])
  assert.deepEqual(texts('charge', device), ['Write method is verified', 'Approved for writing: b'])
  assert.equal(texts('discharge', device).includes('Grid power sign is verified'), true)
  const limited = { ...device, grid_limit_w: 4000 }
  assert.equal(texts('charge', limited).includes('Grid power sign is verified'), true)
  const engineering = { ...device, engineering_mode: true }
  assert.deepEqual(texts('charge', engineering), ['Write method is recorded', 'Approved for writing: b'])
})

test('a preview request matches the command and lasts an hour', () => {
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

test('charging and discharging have separate limits', () => {
  assert.equal(limitFor('charge', device), 3000)
  assert.equal(limitFor('discharge', device), null)
})
