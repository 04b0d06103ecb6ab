import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewNotification, Reports } from '@hearth/notifications'
import type { EndedOperation } from '../dispatch/dispatch.ts'
import type { StopReason } from '../dispatch/schema.ts'
import { createInverterReports } from './inverter-reports.ts'

/** What the end of an operation is reported as. */
function reported(stopReason: StopReason, isStopping = false, origin = 'dispatch'): readonly [string, string][] {
  const events: NewNotification[] = []
  const nothing = () => undefined
  const reports: Reports = { notify: (event) => events.push(event), begin: nothing, end: nothing, replaceAll: nothing }
  const inverter = createInverterReports({
    reports,
    devices: () => [{ id: 'main', displayName: 'Roof' }],
    conditionOf: () => ({ state: 'ok' }),
    isOffForNight: () => Promise.resolve(false),
    health: () => Promise.resolve({ faults: [], unavailable: [] }),
    isNeeded: () => Promise.resolve(true),
    isStopping: () => isStopping,
  })
  const operation = { mode: 'charge', origin } as unknown as EndedOperation['operation']
  void inverter.dispatchEnded({ deviceId: 'main', operation, stopReason })
  return events.map(({ class: name, title }) => [name, title])
}

test('an operation that ended as asked, by a problem, or with the process is told as that', () => {
  assert.deepEqual(reported('target_reached'), [['dispatch.ended', 'Dispatch ended: charge of Roof']])
  assert.deepEqual(reported('device_error'), [['dispatch.aborted', 'Dispatch stopped: charge of Roof']])
  assert.deepEqual(reported('shutdown'), [['dispatch.restored', 'Settings of Roof were restored']])
})

test('an operation that somebody cancelled, or that ends with a stop of the service, is told to nobody', () => {
  assert.deepEqual(reported('operator_cancelled'), [])
  assert.deepEqual(reported('shutdown', true), [])
  assert.deepEqual(reported('target_reached', false, 'plan'), [])
  assert.equal(reported('device_error', false, 'plan').length, 1)
})

test('an inverter that is off for the night wakes nobody', async () => {
  const told: string[] = []
  const nothing = () => undefined
  const replaceAll: Reports['replaceAll'] = (_, conditions) => told.push(...conditions.map(({ subject }) => subject))
  const reports: Reports = { notify: nothing, begin: nothing, end: nothing, replaceAll }
  const inverters = createInverterReports({
    reports,
    devices: () => ['roof', 'barn', 'shed'].map((id) => ({ id, displayName: id })),
    conditionOf: (id) => ({ state: id === 'roof' ? 'ok' : 'unreachable' }),
    isOffForNight: (id) => Promise.resolve(id === 'barn'),
    health: () => Promise.resolve({ faults: [], unavailable: [] }),
    isNeeded: () => Promise.resolve(false),
    isStopping: () => false,
  })
  await inverters.check()
  assert.deepEqual(told, ['shed'])
})
