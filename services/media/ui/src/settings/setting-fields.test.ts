import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedValues } from '@hearth/ui/changed-values'
import type { Settings } from '../api.ts'
import { fieldProblemOf, valuesOf } from './setting-fields.ts'

test('only changed values are sent', () => {
  const stored = valuesOf({ retention_days: 30, public_hostname: '', video_watermark: false } as Settings, [
    'retention_days',
    'public_hostname',
    'video_watermark',
  ])
  assert.deepEqual(changedValues(stored, stored), {})
  assert.deepEqual(changedValues({ ...stored, retention_days: '' }, stored), {})
  assert.deepEqual(changedValues({ ...stored, retention_days: 7, video_watermark: true }, stored), {
    retention_days: 7,
    video_watermark: true,
  })
  assert.deepEqual(changedValues({ ...stored, public_hostname: '' }, { ...stored, public_hostname: 'a.example' }), {
    public_hostname: '',
  })
})

test('an error is shown at the field it names', () => {
  assert.deepEqual(fieldProblemOf('retention_days must be a whole number from 0 to 365', ['retention_days']), {
    name: 'retention_days',
    text: 'Must be a whole number from 0 to 365',
  })
  assert.equal(fieldProblemOf('The body is malformed', ['retention_days']), undefined)
  assert.equal(fieldProblemOf('Too', ['Too']), undefined)
})
