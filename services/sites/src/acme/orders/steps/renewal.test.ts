import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestAuthority } from '../../../../test/test-authority.ts'
import type { AcmeClient } from '../../client/acme-client.ts'
import { AcmeError } from '../../client/acme-error.ts'
import { readRetryAfter } from '../../client/retry-after.ts'
import { performStep, type StepContext } from './perform-step.ts'

const day = 86_400_000
const now = Date.now()
const current = createTestAuthority().issue({
  names: ['a.example'],
  notBefore: now - day,
  notAfter: now + 89 * day,
}).chain

type Window = Awaited<ReturnType<AcmeClient['renewalWindow']>>

/** One look at a certificate in place whose authority says this. */
async function look(window: Window | Error, renewAt = now + 59 * day) {
  const renewalWindow = () => (window instanceof Error ? Promise.reject(window) : Promise.resolve(window))
  const context = { progress: { step: 'idle' }, client: { renewalWindow }, current, renewAt, now }
  return (await performStep(context as unknown as StepContext)).outcome
}

test('a certificate that the authority is about to revoke is renewed at once, with its reason', async () => {
  const past = { start: now - 2 * day, end: now - day, explanation: 'https://ca.test/incident' }
  assert.deepEqual(await look(past), {
    kind: 'next',
    progress: { step: 'account' },
    text: 'The authority asks for the renewal now: https://ca.test/incident',
  })
  const inside = await look({ start: now + 10 * day, end: now + 20 * day, explanation: undefined })
  assert.ok(inside.kind === 'rest' && inside.renewAt >= now + 10 * day && inside.renewAt <= now + 20 * day)
})

test('a certificate is renewed before it expires, whatever the authority or an earlier clock has said', async () => {
  const after = { start: now + 95 * day, end: now + 96 * day, explanation: undefined }
  for (const outcome of [await look(after), await look(undefined, now + 400 * day)])
    assert.ok(outcome.kind === 'rest' && outcome.renewAt > now && outcome.renewAt < now + 85 * day)
})

test('without renewal information the time that is known holds', async () => {
  assert.deepEqual(await look(undefined), { kind: 'rest', renewAt: now + 59 * day })
  assert.deepEqual(await look(new AcmeError('away', 'gone')), { kind: 'rest', renewAt: now + 59 * day })
  const due = await look(undefined, now - 1)
  assert.deepEqual(due, { kind: 'next', progress: { step: 'account' }, text: 'The renewal is due' })
})

test('Retry-After is read in seconds and as a date, and is a week at most', () => {
  assert.equal(readRetryAfter('120', now), 120_000)
  assert.equal(readRetryAfter(new Date(now + 60_000).toUTCString(), Math.floor(now / 1000) * 1000), 60_000)
  assert.equal(readRetryAfter('999999999', now), 7 * day)
  assert.deepEqual([readRetryAfter('soon', now), readRetryAfter(undefined, now)], [undefined, undefined])
  assert.equal(readRetryAfter('Thu, 01 Jan 1970 00:00:00 GMT', now), 0)
})
