import { type Grade, grades } from '../grader/score.ts'
import type { HistoryGrade } from '../history/weekly-points.ts'
import type { Assessment, SslLabsFailure } from './ssl-labs-client.ts'

/** State of a scan. The last three are final; `ready` has a grade. */
export type ScanState = 'queued' | 'starting' | 'dns' | 'in_progress' | 'rate_limited' | 'ready' | 'error' | 'failed'

/** States in which nothing more happens. */
export const isScanOver = (state: ScanState): boolean => state === 'ready' || state === 'error' || state === 'failed'

/** Outcome of the last request. */
export type ScanInput =
  | { readonly kind: 'answer'; readonly assessment: Assessment }
  | { readonly kind: 'failure'; readonly failure: SslLabsFailure; readonly message: string }

/** Progress of a scan that the next step is decided by. */
export interface ScanProgress {
  /** Since the first request to SSL Labs, milliseconds. */
  readonly elapsed: number
  /** Consecutive failures, including this one. */
  readonly failures: number
}

/** Next step of a scan: another request after a while, or an end. */
export type ScanStep =
  | { readonly state: 'dns' | 'in_progress'; readonly waitMs: number }
  /** Time without any request to SSL Labs. */
  | { readonly state: 'rate_limited'; readonly coolOffMs: number; readonly message: string }
  /** The same request again. */
  | { readonly state: 'starting'; readonly waitMs: number; readonly message: string }
  | { readonly state: 'ready'; readonly grade: HistoryGrade; readonly gradeTrustIgnored: Grade | undefined }
  | { readonly state: 'error' | 'failed'; readonly message: string }

/** After this a scan has failed, milliseconds. */
export const maxScan = 2 * 3_600_000

const minute = 60_000
const coolOffs: Readonly<Partial<Record<SslLabsFailure, number>>> = {
  'rate-limited': 15 * minute,
  unavailable: 15 * minute,
  overloaded: 30 * minute,
}
const maxCoolOff = 60 * minute
const maxFailures = 5

/** The next step of a scan. Pure: the same input and progress always give the same step. */
export function nextScanStep(input: ScanInput, { elapsed, failures }: ScanProgress): ScanStep {
  const step = input.kind === 'answer' ? afterAnswer(input.assessment) : afterFailure(input, failures)
  const goesOn = 'waitMs' in step || 'coolOffMs' in step
  return goesOn && elapsed > maxScan ? { state: 'failed', message: 'The scan took more than two hours' } : step
}

function afterAnswer({ status, statusMessage, endpoints }: Assessment): ScanStep {
  if (status === 'DNS') return { state: 'dns', waitMs: 5000 }
  if (status === 'IN_PROGRESS') return { state: 'in_progress', waitMs: 10_000 }
  if (status === 'ERROR') return { state: 'error', message: statusMessage ?? 'SSL Labs could not assess the host' }
  const graded = endpoints.filter(({ grade }) => grade !== undefined)
  const grade = sameOf(graded.map((endpoint) => endpoint.grade))
  if (grade === undefined)
    return { state: 'error', message: endpoints[0]?.statusMessage ?? 'No address of the host could be assessed' }
  const ignored = sameOf(graded.map((endpoint) => endpoint.gradeTrustIgnored))
  return { state: 'ready', grade, gradeTrustIgnored: ignored === 'mixed' ? undefined : ignored }
}

/** The grade all addresses have; `mixed` when they differ, undefined when there is none we know. */
function sameOf(found: readonly (string | undefined)[]): HistoryGrade | undefined {
  const known = [...new Set(found)].filter((grade): grade is Grade => (grades as readonly unknown[]).includes(grade))
  return known.length > 1 ? 'mixed' : known[0]
}

function afterFailure({ failure, message }: ScanInput & { kind: 'failure' }, failures: number): ScanStep {
  const coolOff = coolOffs[failure]
  if (coolOff !== undefined) {
    const coolOffMs = Math.min(maxCoolOff, coolOff * 2 ** Math.max(0, failures - 1))
    return { state: 'rate_limited', coolOffMs, message }
  }
  const mayPass = failure === 'failed' || failure === 'unreachable'
  if (mayPass && failures < maxFailures) return { state: 'starting', waitMs: 30_000 * failures, message }
  return { state: 'failed', message }
}
