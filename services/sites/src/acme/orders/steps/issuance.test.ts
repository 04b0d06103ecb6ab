import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AcmeClient, AcmeOrder } from '../../client/acme-client.ts'
import { generateKey } from '../../client/jws.ts'
import { advance, begin, type OrderState, type Outcome, type Progress } from '../order-machine.ts'
import { performStep, type StepContext } from './perform-step.ts'

const minute = 60_000
const start = Date.UTC(2031, 0, 1)
const placed = { order: 'https://ca.test/o/1', finalize: 'https://ca.test/f/1' }
const key = generateKey()

/** Does the steps of an order, each when it is due, until one fails or another time has come. */
async function issue(progress: Progress, statusAt: (passed: number) => AcmeOrder['status'], until = 48 * 60 * minute) {
  let now = start
  const requests = { looks: 0, handedIn: 0 }
  const order = (): AcmeOrder => ({ status: statusAt(now - start), authorizations: [], finalize: placed.finalize })
  const client: Pick<AcmeClient, 'findOrder' | 'finalize'> = {
    findOrder() {
      requests.looks += 1
      return Promise.resolve({ ...order(), retryAfterMs: undefined })
    },
    finalize() {
      requests.handedIn += 1
      return Promise.resolve(order())
    },
  }
  let state: OrderState = { ...begin({}, 'Ordered', now), progress }
  let outcome: Outcome | undefined
  while (outcome?.kind !== 'failed' && now - start < until) {
    assert.ok(requests.looks < 10_000, 'the authority is asked all the time')
    const signer = () => Promise.resolve({ key: '', account: 'a' })
    const context = { domains: ['a.example'], progress: state.progress, client, signer, key, now }
    ;({ outcome } = await performStep(context as unknown as StepContext))
    state = advance(state, outcome, now).state
    now = Math.max(now + 200, state.nextAt ?? assert.fail())
  }
  const failure = outcome?.kind === 'failed' ? outcome.failure : undefined
  return { ...requests, step: state.progress.step, failure, passed: now - start }
}

test('an authority that never issues the certificate is asked less and less often, and for a day', async () => {
  for (const progress of [{ step: 'finalize', ...placed } as const, { step: 'download', ...placed } as const]) {
    const { looks, failure } = await issue(progress, () => 'processing')
    assert.equal(failure?.code, 'order-expired')
    assert.match(failure.text, /did not issue the certificate in a day/)
    assert.ok(looks < 4000, `${looks} looks`)
  }
})

test('an authority that does not take the signing request is not handed it over and over', async () => {
  const { handedIn, failure, passed } = await issue({ step: 'finalize', ...placed, since: start }, () => 'ready')
  assert.deepEqual([handedIn, failure?.code], [1, 'order-expired'])
  assert.ok(passed > minute)
})

test('an order that takes a moment to notice its proofs is waited for', async () => {
  const proved: Progress = { step: 'finalize', ...placed, since: start }
  const late = await issue(proved, (passed) => (passed < 10_000 ? 'pending' : 'ready'), minute / 2)
  assert.deepEqual([late.handedIn, late.step], [1, 'download'])
  const never = await issue(proved, () => 'pending')
  assert.deepEqual([never.handedIn, never.failure?.text], [0, 'The order is pending'])
})
