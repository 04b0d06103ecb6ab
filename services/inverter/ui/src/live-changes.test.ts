import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminDevice, DeviceReadiness } from './api.ts'
import { mergeValues, patchDevice, changesHealth } from './live-changes.ts'
import type { LiveValue } from './values/live-value.ts'

const value = (name: string, reading: number, second: number) =>
  ({ name, value: reading, timestamp: `2026-01-01T00:00:0${second}Z` }) as LiveValue

test('newer values replace older ones; late values are ignored', () => {
  const old = { a: value('a', 1, 5), b: value('b', 2, 5) }
  const next = mergeValues(old, [value('a', 3, 6), value('b', 9, 1), value('c', 4, 1)])
  assert.deepEqual(
    Object.values(next ?? {}).map(({ value }) => value),
    [3, 2, 4],
  )
  assert.equal(mergeValues(old, [value('b', 9, 1)]), old)
  assert.equal(mergeValues(undefined, [value('a', 1, 1)]), undefined)
})

test('a readiness update changes only its own device', () => {
  const devices = [
    { device_id: 'one', state: 'ok', ready: true, host: 'x' },
    { device_id: 'two', state: 'ok', ready: true },
  ] as AdminDevice[]
  const readiness = { device_id: 'one', state: 'unreachable', ready: false, last_success_at: null } as DeviceReadiness
  const [one, two] = patchDevice(devices, readiness) ?? []
  assert.deepEqual(one, { device_id: 'one', state: 'unreachable', ready: false, last_success_at: null, host: 'x' })
  assert.equal(two, devices[1])
})

test('health is reloaded only when a status value changes', () => {
  const old = { battery_status2: value('battery_status2', 4, 1), battery_soc: value('battery_soc', 0.5, 1) }
  assert.equal(changesHealth(old, [value('battery_status2', 4, 2), value('battery_soc', 0.6, 2)]), false)
  assert.equal(changesHealth(old, [value('battery_status2', 8, 2)]), true)
  assert.equal(changesHealth(undefined, [value('battery_status2', 8, 2)]), false)
})
