import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toldOf } from './sync-words.ts'

test('an edit is told plainly when Caddy has it, and with what Caddy made of it when not', () => {
  const told = (sync_status: 'synced' | 'no_change' | 'pending' | 'unknown', sync_error: string | null = null) =>
    toldOf({ sync_status, sync_error }, 'Saved')
  assert.equal(told('synced'), 'Saved')
  assert.equal(told('no_change'), 'Saved')
  assert.equal(told('pending'), 'Saved. Caddy is told in a moment.')
  assert.match(told('unknown'), /^Saved\. The connection to Caddy broke off/)
  assert.equal(told('pending', 'caddy is not reachable'), 'Saved. caddy is not reachable')
})
