import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOf, stemProblem, stemProgress } from './stem-source.ts'

const source = (seconds: number) => ({ part: '', label: 'All of it', seconds })

test('started minutes are paid in full', () => {
  assert.deepEqual(
    [20, 60, 61, 214].map((seconds) => costOf({ seconds })),
    [1, 1, 2, 4],
  )
})

test('a refusal is predicted before the request', () => {
  const account = { isGuarded: true, minutesLeft: 30 }
  assert.equal(stemProblem(source(600), account), undefined)
  assert.match(stemProblem(source(601), account) ?? '', /10 minutes/)
  assert.equal(stemProblem(source(601), { ...account, isGuarded: false }), undefined)
  assert.match(
    stemProblem(source(200), { ...account, minutesLeft: 3 }) ?? '',
    /about 4 minutes; the account has 3 minutes left/,
  )
  assert.equal(stemProblem(source(200), { ...account, minutesLeft: null }), undefined)
})

test('the stages share one progress scale from 0 to 100', () => {
  const steps = (['upload', 'processing', 'download'] as const).flatMap((stage) =>
    [0, 50, 100].map((progress) => stemProgress({ stage, progress }).percent),
  )
  assert.deepEqual(
    steps,
    steps.toSorted((one, other) => one - other),
  )
  assert.deepEqual([steps[0], steps.at(-1)], [0, 100])
})
