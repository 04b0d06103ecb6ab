import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as assertProperty, constantFrom, integer, property, tuple } from 'fast-check'
import { advance, ImpossibleInput, nextStep, restoreDelayMs, type Input } from './dispatch-machine.ts'
import { applySteps } from './plan.ts'
import { dispatchView } from './persisted-record.ts'
import {
  idle,
  operationOf,
  readRecord,
  storedRecord,
  type DispatchRecord,
  type Operation,
  type Snapshot,
} from './record.ts'
import { Dispatch } from './schema.ts'

const snapshot: Snapshot = { strategy: 4, socTarget: 0.5, gridCharge: false, setpoint: 0 }
const conventions = {
  strategyCode: 2,
  socTargetUnit: 'ratio',
  refreshMs: null,
  batteryDischargePositive: true,
  gridImportPositive: true,
} as const

function operation(mode: Operation['mode'], isReplacement: boolean): Operation {
  const budget = mode === 'hold' ? null : 3000
  return {
    id: '0123456789abcdef'.repeat(2),
    mode,
    targetSocPercent: mode === 'hold' ? null : 70,
    requestedPowerW: budget,
    maxPowerW: budget ?? 0,
    requestedUntil: 2_000_000,
    until: 2_000_000,
    isReplacement,
    origin: 'dispatch',
    caller: null,
  }
}

const aims = { charge_from_grid: -3000, discharge_to_load: 1000, hold: 0 } as const

/** An input that the phase may or may not take, with values that fit the record. */
function inputFor(kind: Input['kind'], record: DispatchRecord, mode: Operation['mode']): Input {
  const isReplacement = record.phase !== 'idle'
  const requested = operation(mode, isReplacement)
  const commandedW = aims[operationOf(record)?.mode ?? mode]
  switch (kind) {
    case 'submit':
      return { kind, operation: requested, steps: isReplacement ? applySteps(requested, snapshot, conventions) : null }
    case 'snapshot':
      return { kind, snapshot, steps: applySteps(operationOf(record) ?? requested, snapshot, conventions) }
    case 'aim':
    case 'command':
      return { kind, commandedW, value: commandedW }
    case 'stop':
    case 'abandon':
      return { kind, stopReason: 'device_error', faultCode: 'device_timeout' }
    case 'fail':
      return { kind, at: 1_000_000, faultCode: 'device_timeout' }
    case 'send':
    case 'confirm':
      return { kind }
  }
}

const frequent = ['submit', 'snapshot', 'aim', 'send', 'confirm', 'command'] as const
const kind = constantFrom<Input['kind'][]>(
  ...Array.from({ length: 6 }, () => frequent).flat(),
  'stop',
  'stop',
  'fail',
  'fail',
  'abandon',
)
const mode = constantFrom<Operation['mode'][]>('charge_from_grid', 'discharge_to_load', 'hold')

test('no sequence of inputs produces an invalid record, and every record is read from the store as it was written', () => {
  const phases = new Set<string>()
  assertProperty(
    property(array(tuple(kind, mode), { minLength: 150, maxLength: 200, size: 'max' }), (inputs) => {
      let record: DispatchRecord = idle()
      for (const [kind, mode] of inputs) {
        try {
          record = advance(record, inputFor(kind, record, mode)).record
        } catch (error) {
          assert.ok(error instanceof ImpossibleInput, String(error))
          continue
        }
        phases.add(record.phase)
        const stored = storedRecord(record)
        assert.deepEqual(readRecord(stored), record)
        assert.ok(Dispatch.parse(dispatchView('a', record, false)))
        // The columns and the document never contradict each other.
        assert.equal(readRecord({ ...stored, restore_required: 1 - stored.restore_required }), undefined)
        assert.equal(readRecord({ ...stored, state: stored.state === 'idle' ? 'charging' : 'idle' }), undefined)
      }
    }),
    { numRuns: 300 },
  )
  assert.equal(phases.size, 7)
})

test('a record marks each write as sent before the next one', () => {
  const begun = advance(idle(), inputFor('submit', idle(), 'charge_from_grid')).record
  let record = advance(begun, inputFor('snapshot', begun, 'charge_from_grid')).record
  const written: unknown[] = []
  while (record.phase === 'applying') {
    if (nextStep(record)?.value === null) record = advance(record, inputFor('aim', record, 'hold')).record
    const sent = advance(record, { kind: 'send' })
    assert.throws(() => advance(sent.record, { kind: 'send' }), ImpossibleInput)
    written.push(sent.effect?.kind === 'write' && [sent.effect.register, sent.effect.value])
    record = advance(sent.record, { kind: 'confirm' }).record
  }
  assert.deepEqual(written, [
    ['power_mng_soc_strategy', 2],
    ['power_mng_soc_target_set', 0.7],
    ['power_mng_use_grid_power_enable', true],
    ['power_mng_battery_power_extern', -3000],
  ])
  assert.equal(dispatchView('a', record, false).state, 'charging')
  assert.equal(dispatchView('a', record, false).commanded_power_w, 3000)
})

test('the stop reason is kept through every restore attempt', () => {
  let record: DispatchRecord = {
    phase: 'controlling',
    operation: operation('hold', false),
    snapshot,
    commandedW: 0,
    write: 'confirmed',
  }
  record = advance(record, { kind: 'stop', stopReason: 'target_reached', faultCode: null }).record
  assert.equal(dispatchView('a', record, false).state, 'target_reached')
  record = advance(record, { kind: 'fail', at: 5000, faultCode: 'device_timeout' }).record
  assert.equal(dispatchView('a', record, false).next_restore_at, new Date(6000).toISOString())
  record = advance(record, { kind: 'stop', stopReason: 'operator_cancelled', faultCode: null }).record
  assert.equal(dispatchView('a', record, false).stop_reason, 'target_reached')
})

test('retry delays double from one second up to thirty', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(restoreDelayMs), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  assertProperty(property(integer({ min: 6, max: 1_000_000 }), (attempts) => restoreDelayMs(attempts) === 30_000))
})

test('a record that the controller cannot have written is rejected as corrupt', () => {
  const good = storedRecord({ phase: 'precheck', operation: operation('hold', false) })
  assert.ok(readRecord(good))
  const content = JSON.parse(good.record) as Record<string, unknown>
  for (const record of [
    '',
    '{',
    'null',
    JSON.stringify({ ...content, phase: 'idle' }),
    JSON.stringify({ ...content, extra: 1 }),
    JSON.stringify({ ...content, operation: { ...operation('hold', false), maxPowerW: 5 } }),
    JSON.stringify({ ...content, operation: { ...operation('hold', false), id: 'x' } }),
  ])
    assert.equal(readRecord({ ...good, record }), undefined, record)
})
