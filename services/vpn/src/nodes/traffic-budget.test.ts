import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrafficBudget } from './traffic-budget.ts'

const now = Date.parse('2026-11-27T12:00:00Z')
const second = 12.5e9

test('a node is believed what a host can move in the time since it was believed last', () => {
  const budget = new TrafficBudget()
  const node = { id: 'n', last_seen_at: now - 1000 }
  assert.equal(budget.take(node, 602 * second, now), false)
  assert.equal(budget.take(node, 601 * second, now), true)
  assert.equal(budget.take(node, 1, now), false)
  assert.equal(budget.take(node, second, now + 1000), true)
  assert.equal(budget.take(node, second, now - 5000), false, 'a clock that went back gives nothing')
  assert.equal(budget.take({ id: 'other', last_seen_at: null }, 600 * second, now), true)
})

test('after a year without reports a node is believed a petabyte, and not more', () => {
  const budget = new TrafficBudget()
  const node = { id: 'n', last_seen_at: now - 365 * 86_400_000 }
  assert.equal(budget.take(node, 1e15 + 1, now), false)
  assert.equal(budget.take(node, 1e15, now), true)
})
