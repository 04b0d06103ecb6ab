import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../api.ts'
import { changedSettings, rebasedValues, settingsValues } from './settings-values.ts'

const stored = { acme_email: '', allow_raw: false, grade_retention_days: 180, ssllabs: null } as Settings

test('only changed settings are sent, and never the registration', () => {
  const values = settingsValues(stored)
  assert.equal('ssllabs' in values, false)
  assert.deepEqual(changedSettings(values, stored), {})
  assert.deepEqual(changedSettings({ ...values, allow_raw: true, grade_retention_days: 30 }, stored), {
    allow_raw: true,
    grade_retention_days: 30,
  })
})

test('others’ saved changes appear, and typed values stay', () => {
  const typed = { ...settingsValues(stored), allow_raw: true }
  const now = { ...stored, acme_email: 'other@example.org', allow_raw: false }
  const shown = rebasedValues(typed, { before: stored, now })
  assert.deepEqual([shown.acme_email, shown.allow_raw], ['other@example.org', true])
})
