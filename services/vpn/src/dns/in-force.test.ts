import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { inForceSoon } from './in-force.ts'

const never = new Promise<void>(() => undefined)
const unexpected = (error: unknown) => assert.fail(String(error))

test('a change is waited for as long as the resolver lives, however long it takes', async () => {
  assert.equal(await inForceSoon({ change: pause(2500), quietMs: () => 300, failed: unexpected }), true)
})

test('a resolver that gives no sign of life is not waited for', async () => {
  assert.equal(await inForceSoon({ change: never, quietMs: () => 60_000, failed: unexpected }), false)
})

test('what goes wrong in time is the caller’s; later it is told elsewhere', async () => {
  const broken = Promise.reject(new Error('no'))
  await assert.rejects(inForceSoon({ change: broken, quietMs: () => 60_000, failed: unexpected }), /no/)
  const later = Promise.withResolvers<void>()
  const told = Promise.withResolvers<unknown>()
  assert.equal(await inForceSoon({ change: later.promise, quietMs: () => 60_000, failed: told.resolve }), false)
  later.reject(new Error('late'))
  assert.match(String(await told.promise), /late/)
})
