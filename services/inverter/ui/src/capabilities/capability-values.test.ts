import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capabilityValues, toCapabilityUpdate } from './capability-values.ts'
import type { Capability } from '../api.ts'
import { formatAnswer, capabilityPlans, firmwareOfOldVerification } from './capability-texts.ts'

const unknown: Capability = {
  name: 'write_path_convention',
  status: 'unverified',
  battery_discharge_positive: null,
  grid_import_positive: null,
  soc_strategy_external_code: null,
  enum_byte_width: null,
  bool_byte_width: null,
  write_frame_layout_verified: false,
  apply_sequence_verified: false,
  sequence_order_relevant: null,
  soc_target_unit: 'ratio',
  export_limit_zero_blocks_export: null,
  volatile: null,
  refresh_interval_seconds: null,
  verified_device_model: null,
  verified_firmware: null,
  verified_at: null,
  verified_by: null,
  note: null,
}

test('a form sends the values it shows, and none that belong to another capability', () => {
  const values = capabilityValues(unknown, '2.3.5689')
  assert.equal(values['write_frame_layout_verified'], 'no')
  assert.equal(values.verified_firmware, '2.3.5689')
  const update = toCapabilityUpdate(
    { ...values, soc_strategy_external_code: 2, write_frame_layout_verified: 'yes', note: ' seen ' },
    unknown,
  )
  assert.deepEqual(update, {
    status: 'unverified',
    soc_strategy_external_code: 2,
    soc_target_unit: 'ratio',
    enum_byte_width: null,
    bool_byte_width: null,
    write_frame_layout_verified: true,
    apply_sequence_verified: false,
    sequence_order_relevant: null,
    verified_device_model: null,
    verified_firmware: '2.3.5689',
    note: 'seen',
  })
})

test('recorded evidence is shown with labels', () => {
  const { questions } = capabilityPlans.write_path_convention
  const said = Object.fromEntries(questions.map((question) => [question.field, formatAnswer(unknown, question)]))
  assert.equal(said['soc_strategy_external_code'], 'unknown')
  assert.equal(said['apply_sequence_verified'], 'No')
  assert.equal(said['soc_target_unit'], 'Ratio (0 to 1), assumed')
})

test('a capability that was verified under another firmware says under which', () => {
  const verified = { verified_firmware: '5687', verified_at: '2026-11-01T00:00:00.000Z' }
  assert.equal(firmwareOfOldVerification(verified, '6001'), '5687')
  assert.equal(firmwareOfOldVerification(verified, '5687'), null)
  assert.equal(firmwareOfOldVerification(verified, null), null)
  assert.equal(firmwareOfOldVerification({ ...verified, verified_at: null }, '6001'), null)
})
