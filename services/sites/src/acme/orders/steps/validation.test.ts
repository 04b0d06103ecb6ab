import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AcmeClient, Authorization } from '../../client/acme-client.ts'
import { AcmeError } from '../../client/acme-error.ts'
import { advance, begin, type OrderState, type Outcome, type Progress } from '../order-machine.ts'
import { performStep, type StepContext } from './perform-step.ts'

const now = Date.UTC(2031, 0, 1)
const second = 1000
const challenges = ['a.example', 'b.example'].map((domain) => ({
  authorization: `https://ca.test/authz/${domain}`,
  url: `https://ca.test/chall/${domain}`,
  domain,
  value: 'v',
}))
const placed = { order: 'https://ca.test/o/1', finalize: 'https://ca.test/f/1' }
const validating: Progress = { step: 'validate', ...placed, challenges, since: now }

/** An authority that has checked no proof yet; `answers` are the challenges that were answered. */
function authority(retryAfterMs?: number) {
  const answers: string[] = []
  const status: { of: Authorization['status']; isAway: boolean } = { of: 'pending', isAway: false }
  const client: Pick<AcmeClient, 'findAuthorization' | 'respond'> = {
    findAuthorization(_, url) {
      if (status.isAway) return Promise.reject(new AcmeError('away', 'It is away'))
      const { domain, url: challenge } = challenges.find(({ authorization }) => authorization === url) ?? assert.fail()
      const offered = [{ type: 'dns-01', url: challenge, status: 'pending', token: 't' }]
      return Promise.resolve({ status: status.of, identifier: { value: domain }, challenges: offered, retryAfterMs })
    },
    respond(_, url) {
      answers.push(url)
      return Promise.resolve()
    },
  }
  const step = async (state: OrderState, at = now): Promise<{ state: OrderState; outcome: Outcome }> => {
    const signer = () => Promise.resolve({ key: '', account: 'a' })
    const context = { progress: state.progress, client, signer, now: at } as unknown as StepContext
    const { outcome } = await performStep(context)
    return { outcome, state: advance(state, outcome, at).state }
  }
  return { answers, status, step }
}

const begun: OrderState = { ...begin({}, 'Ordered', now), progress: validating }

test('each challenge is answered once, however often the authority is asked for the result', async () => {
  const { answers, status, step } = authority()
  let state = begun
  for (let poll = 0; poll < 10; poll += 1) {
    // A state goes through the database between two steps.
    state = JSON.parse(JSON.stringify((await step(state)).state)) as OrderState
  }
  assert.deepEqual(
    answers,
    challenges.map(({ url }) => url),
  )
  status.isAway = true
  await assert.rejects(step(state))
  status.isAway = false
  status.of = 'valid'
  assert.equal((await step(state)).state.progress.step, 'finalize')
  assert.equal(answers.length, 2)
})

test('a result is asked for once a second at most, and within the half hour that the authority has', async () => {
  for (const [retryAfterMs, wait] of [
    [undefined, 2 * second],
    [0, second],
    [30 * second, 30 * second],
    [7 * 86_400 * second, 1800 * second],
  ] as const) {
    const { step } = authority(retryAfterMs)
    let { state, outcome } = await step(begun)
    while (outcome.kind === 'next') ({ state, outcome } = await step(state))
    assert.deepEqual(outcome, { kind: 'wait', ms: wait, text: 'The authority checks the records' })
    const late = await step(state, now + 1801 * second)
    assert.ok(late.outcome.kind === 'failed' && late.outcome.failure.code === 'order-expired')
  }
})
