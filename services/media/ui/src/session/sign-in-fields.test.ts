import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFresh, waitBefore } from './sign-in-fields.ts'

const made = (madeAt: number) => ({ captchaToken: 't', madeAt })

test('an attempt waits until just over a second after its page was created', () => {
  assert.equal(waitBefore(made(5000), 5000), 1150)
  assert.equal(waitBefore(made(5000), 6000.4), 150)
  assert.equal(waitBefore(made(5000), 60_000), 0)
})

test('sign-in fields expire before their cookie', () => {
  assert.equal(isFresh(made(0), 54 * 60_000), true)
  assert.equal(isFresh(made(0), 56 * 60_000), false)
})
