import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endure } from './endurance.ts'

test('the gateway recovers fully from an hour of intermittent faults', async (t) => {
  const { answers, failures } = await endure({ hours: 1, speed: 200, seed: 7 })
  t.diagnostic(`${failures} failures; answers by status: ${JSON.stringify(answers)}`)
  assert.ok((answers['200'] ?? 0) > 50, JSON.stringify(answers))
  assert.ok(failures > 5)
})
