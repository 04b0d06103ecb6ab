import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  advance,
  begin,
  pauseAfter,
  renewalCheck,
  tryNow,
  twoThirds,
  type FailureCode,
  type OrderState,
  type Outcome,
  type Progress,
} from './order-machine.ts'
import { advice } from './failures.ts'

const now = Date.UTC(2031, 0, 1)
const minute = 60_000
const hour = 60 * minute
const placed = { order: 'https://ca.test/o/1', finalize: 'https://ca.test/f/1' }
const spreading: Progress = { step: 'spread', ...placed, challenges: [], since: now }
const at = (progress: Progress, more: Partial<OrderState> = {}): OrderState => ({
  ...begin({}, 'Ordered', now),
  progress,
  ...more,
})
const failing = (code: FailureCode, retryAfterMs?: number): Outcome => ({
  kind: 'failed',
  failure: { code, text: `It is ${code}`, retryAfterMs },
})

test('a failure that passes keeps what was reached; another begins the order anew and gives its records up', () => {
  const away = advance(at(spreading), failing('authority-away'), now)
  assert.deepEqual([away.state.progress, away.keepsRecords, away.state.nextAt], [spreading, true, now + 30_000])
  const refused = advance(at(spreading), failing('validation-failed'), now)
  assert.deepEqual([refused.state.progress, refused.keepsRecords], [{ step: 'account' }, false])
  assert.equal(refused.state.problem?.text, 'It is validation-failed')
})

test('pauses grow, and what the authority says counts when it is longer', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => pauseAfter(attempts, true))
  assert.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  )
  assert.equal(advance(at({ step: 'order' }), failing('rate-limited', 5 * hour), now).state.nextAt, now + 5 * hour)
  assert.equal(advance(at({ step: 'order' }), failing('rate-limited', 1), now).state.nextAt, now + 30_000)
})

test('a step that always fails begins anew after a dozen attempts', () => {
  let state = at(spreading)
  for (let attempt = 1; attempt < 12; attempt += 1) state = advance(state, failing('dns-away'), now).state
  assert.equal(state.progress.step, 'spread')
  const anew = advance(state, failing('dns-away'), now).state
  assert.deepEqual([anew.progress.step, anew.nextAt], ['account', now + hour])
})

test('an order that fails anew each time is tried later each time, and its problem stays until a certificate is issued', () => {
  const steps: Progress[] = [{ step: 'order' }, spreading, { ...spreading, step: 'validate' }]
  let state = at({ step: 'account' })
  const pauses: number[] = []
  for (let order = 0; order < 7; order += 1) {
    for (const progress of steps) state = advance(state, { kind: 'next', progress, text: progress.step }, now).state
    if (order > 0) assert.equal(state.failed?.problem.code, 'validation-failed')
    // A failure that passes has its own short pause, and the failed orders still count.
    state = advance(state, failing('authority-away'), now).state
    assert.equal(state.nextAt, now + 30_000)
    state = advance(state, { kind: 'wait', ms: 0, text: 'Checked' }, now).state
    assert.equal(state.problem, null)
    state = advance(state, failing('validation-failed'), now).state
    pauses.push(((state.nextAt ?? 0) - now) / minute)
  }
  assert.deepEqual(pauses, [5, 30, 120, 360, 720, 1440, 1440])
  const soon = advance(tryNow(state, now), failing('validation-failed'), now).state
  assert.equal(soon.nextAt, now + 5 * minute, 'a person who tries it now has changed something')
  assert.equal(tryNow(state, now).failed?.problem.code, 'validation-failed', 'it is not known to be gone')
  assert.equal(begin(state, 'The order was changed', now).failed, null)
  const issued: Outcome = { kind: 'issued', renewAt: now + hour, notAfter: now + 2 * hour, text: 'Issued' }
  assert.equal(advance(state, issued, now).state.failed, null)
})

test('a certificate that is issued and cannot be stored is not ordered again within a week', () => {
  let state = at({ step: 'download', ...placed })
  let time = now
  for (; state.progress.step === 'download'; time = state.nextAt ?? assert.fail())
    state = advance(state, failing('internal'), time).state
  assert.ok(time - now > 6.9 * 24 * hour && time - now < 8 * 24 * hour, `after ${(time - now) / hour} hours`)
})

test('a certificate in place rests until it is due, and renewal information is read meanwhile', () => {
  const issued: Outcome = {
    kind: 'issued',
    renewAt: now + 60 * 24 * hour,
    notAfter: now + 90 * 24 * hour,
    text: 'Issued',
  }
  const { state, keepsRecords } = advance(at({ step: 'download', ...placed }), issued, now)
  assert.deepEqual([state.progress.step, state.nextAt, keepsRecords], ['idle', now + renewalCheck, false])
  const failed = advance(state, failing('authority-away'), now)
  assert.deepEqual([failed.state.progress.step, failed.state.notAfter], ['idle', now + 90 * 24 * hour])
  assert.equal(twoThirds(0, 90), 60)
})

test('a wait that began by a clock that was ahead is counted from now', () => {
  const ahead: Progress = { step: 'spread', ...placed, challenges: [], since: now + 365 * 24 * hour }
  const { progress } = advance(at(ahead), { kind: 'wait', ms: 2000, text: 'Waiting' }, now).state
  assert.deepEqual(progress, { ...ahead, since: now })
  const later = advance(at(progress), { kind: 'wait', ms: 2000, text: 'Waiting' }, now + hour).state
  assert.deepEqual(later.progress, { ...ahead, since: now })
})

test('whatever happens, there is a next step, the history stays short, and a certificate is never forgotten', () => {
  const codes = Object.keys(advice) as FailureCode[]
  const outcome = fc.oneof(
    fc.constantFrom(...codes).map((code) => failing(code)),
    fc.constant<Outcome>({ kind: 'wait', ms: 2000, text: 'Waiting' }),
    fc.constantFrom<Outcome>(
      { kind: 'next', progress: { step: 'order' }, text: 'Account' },
      { kind: 'next', progress: spreading, text: 'Added' },
      { kind: 'rest', renewAt: now + hour },
    ),
  )
  fc.assert(
    fc.property(fc.array(outcome, { maxLength: 200 }), (outcomes) => {
      let state = at({ step: 'idle' }, { notAfter: 5, renewAt: 3 })
      for (const [index, each] of outcomes.entries()) {
        state = advance(state, each, now + index).state
        assert.ok(state.nextAt !== null && state.nextAt >= now && state.history.length <= 80)
        assert.equal(state.notAfter, 5)
      }
    }),
  )
})

test('every failure has its advice', () => {
  for (const text of Object.values(advice)) assert.match(text, /\.$/)
})
