import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxScan, nextScanStep, type ScanInput } from './next-scan-step.ts'
import type { Assessment, SslLabsFailure } from './ssl-labs-client.ts'

const answer = (status: Assessment['status'], ...grades: (string | undefined)[]): ScanInput => ({
  kind: 'answer',
  assessment: {
    status,
    statusMessage: status === 'ERROR' ? 'Unable to resolve' : undefined,
    endpoints: grades.map((grade) => ({ grade, gradeTrustIgnored: grade, statusMessage: 'Unable to connect' })),
  },
})
const failure = (kind: SslLabsFailure): ScanInput => ({ kind: 'failure', failure: kind, message: 'words' })
const early = { elapsed: 0, failures: 1 }
const minute = 60_000

const cases: readonly [string, ScanInput, object, { elapsed: number; failures: number }?][] = [
  ['names are looked up', answer('DNS'), { state: 'dns', waitMs: 5000 }],
  ['it is under way', answer('IN_PROGRESS'), { state: 'in_progress', waitMs: 10_000 }],
  ['one grade', answer('READY', 'A+'), { state: 'ready', grade: 'A+', gradeTrustIgnored: 'A+' }],
  ['equal grades', answer('READY', 'B', 'B', undefined), { state: 'ready', grade: 'B', gradeTrustIgnored: 'B' }],
  ['different grades', answer('READY', 'A', 'T'), { state: 'ready', grade: 'mixed', gradeTrustIgnored: undefined }],
  ['no address answers', answer('READY', undefined), { state: 'error', message: 'Unable to connect' }],
  ['a grade nobody knows', answer('READY', 'Z'), { state: 'error', message: 'Unable to connect' }],
  ['an error', answer('ERROR'), { state: 'error', message: 'Unable to resolve' }],
  ['429', failure('rate-limited'), { state: 'rate_limited', coolOffMs: 15 * minute, message: 'words' }],
  ['503', failure('unavailable'), { state: 'rate_limited', coolOffMs: 15 * minute, message: 'words' }],
  ['529', failure('overloaded'), { state: 'rate_limited', coolOffMs: 30 * minute, message: 'words' }],
  [
    '429 again and again waits longer, an hour at most',
    failure('rate-limited'),
    { state: 'rate_limited', coolOffMs: 60 * minute, message: 'words' },
    { elapsed: 0, failures: 9 },
  ],
  ['441', failure('not-registered'), { state: 'failed', message: 'words' }],
  ['400', failure('refused'), { state: 'failed', message: 'words' }],
  ['500 is tried again', failure('failed'), { state: 'starting', waitMs: 30_000, message: 'words' }],
  ['but not for ever', failure('unreachable'), { state: 'failed', message: 'words' }, { elapsed: 0, failures: 5 }],
  [
    'two hours are enough',
    answer('IN_PROGRESS'),
    { state: 'failed', message: 'The scan took more than two hours' },
    { elapsed: maxScan + 1, failures: 0 },
  ],
  [
    'a grade counts however late',
    answer('READY', 'A'),
    { state: 'ready', grade: 'A', gradeTrustIgnored: 'A' },
    { elapsed: maxScan + 1, failures: 0 },
  ],
]

for (const [name, input, step, progress = early] of cases)
  test(name, () => assert.deepEqual(nextScanStep(input, progress), step))
