import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DispatchRecord } from './record.ts'
import { checkTurn } from './submission.ts'

const activeOf = (origin: 'dispatch' | 'energy' | 'plan') =>
  ({ phase: 'controlling', operation: { id: 'of somebody', origin } }) as DispatchRecord
const plan = { caller: 'plan', origin: 'plan' } as const

test('a plan replaces nothing but an operation of a plan, and everybody else replaces anything', () => {
  for (const origin of ['dispatch', 'energy'] as const) {
    assert.throws(
      () => checkTurn(activeOf(origin), plan),
      ({ code }: { code: string }) => code === 'dispatch_operation_conflict',
    )
    for (const active of [activeOf('plan'), activeOf(origin)])
      assert.doesNotThrow(() => checkTurn(active, { caller: 'somebody', origin }))
  }
  assert.doesNotThrow(() => checkTurn(activeOf('plan'), plan))
  assert.doesNotThrow(() => checkTurn({ phase: 'idle' } as DispatchRecord, plan))
})
