import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ArtifactMissing } from '../artifacts/artifact-store.ts'
import { Problem } from '../problems.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { SeparationPaused } from './separation-record.ts'
import { LeaseLost } from './split-lease.ts'
import { JobGone, separationProblem, signInProblem } from './stem-problem.ts'
import { StemServiceError, type StemFailure } from './stem-service-error.ts'

/** Answers that a caller gets: status of a separation, and of storing a key. */
const told: Record<StemFailure, readonly [number, number]> = {
  'invalid-key': [400, 400],
  plan: [400, 400],
  'out-of-minutes': [400, 502],
  'exceeded-duration': [400, 502],
  'exceeded-size': [400, 502],
  timeout: [504, 504],
  'rate-limited': [503, 503],
  unreachable: [502, 503],
  upstream: [502, 502],
  expired: [502, 502],
  'already-started': [502, 502],
  cancelled: [502, 502],
  failed: [502, 502],
}

test('every failure of the service has a status and a sentence without its own text', () => {
  for (const [kind, statuses] of Object.entries(told) as [StemFailure, readonly [number, number]][]) {
    const error = new StemServiceError(kind, { detail: 'from the service', code: 'secret' })
    for (const [index, problem] of [separationProblem(error), signInProblem(error)].entries()) {
      assert.ok(problem instanceof Problem)
      assert.equal(problem.status, statuses[index], kind)
      assert.match(problem.message, /^(?:[A-Z]|activation_key)/)
      assert.doesNotMatch(JSON.stringify([problem.message, problem.more]), /from the service|secret/)
    }
  }
})

test('local failures keep their own status', () => {
  for (const [error, status] of [
    [new JobGone(), 404],
    [new ArtifactMissing('job', 'name'), 404],
    [new LeaseLost(), 409],
    [new SeparationPaused(), 503],
    [new MediaFailure('conversion'), 500],
    [new Problem(418, 'as it is'), 418],
  ] as const) {
    const problem = separationProblem(error)
    assert.ok(problem instanceof Problem)
    assert.equal(problem.status, status)
  }
  const unforeseen = new Error('a defect')
  assert.equal(separationProblem(unforeseen), unforeseen)
  assert.equal(signInProblem(unforeseen), unforeseen)
})
