/** A name that the authority wants proved. */
export interface Challenge {
  /** Address of the authorization, and of its challenge by DNS. */
  readonly authorization: string
  readonly url: string
  readonly domain: string
  /** Value of the TXT record. */
  readonly value: string
}

/** What an order at the authority is known by. */
interface Placed {
  readonly order: string
  readonly finalize: string
}

/** How far an order is; each member names the step that comes next. */
export type Progress =
  /** Nothing to do until the certificate is due. */
  | { readonly step: 'idle' }
  /** The certificate is revoked; nothing to do until somebody orders anew. */
  | { readonly step: 'revoked' }
  | { readonly step: 'account' }
  | { readonly step: 'order' }
  | (Placed & { readonly step: 'read'; readonly authorizations: readonly string[] })
  | (Placed & { readonly step: 'publish'; readonly challenges: readonly Challenge[] })
  /** `since` is when the last record was made, milliseconds. */
  | (Placed & { readonly step: 'spread'; readonly challenges: readonly Challenge[]; readonly since: number })
  /** `answered` holds the addresses of the challenges that were answered: each answer is another try of the authority. */
  | (Placed & {
      readonly step: 'validate'
      readonly challenges: readonly Challenge[]
      readonly since: number
      readonly answered?: readonly string[]
    })
  /** `since` is when the names were proved, and when the signing request was handed in. */
  | (Placed & { readonly step: 'finalize'; readonly since?: number })
  | (Placed & { readonly step: 'download'; readonly since?: number })

/** The name of a step. */
export type Step = Progress['step']

/** What went wrong. */
export type FailureCode =
  | 'authority-away'
  | 'authority-refused'
  | 'rate-limited'
  | 'external-account'
  | 'not-reachable'
  | 'provider-away'
  | 'provider-refused'
  | 'wrong-credentials'
  | 'wrong-zone'
  | 'dns-away'
  | 'dns-slow'
  | 'validation-failed'
  | 'order-expired'
  | 'internal'

/** A failure of one step. */
export interface Failure {
  readonly code: FailureCode
  /** What happened, for a person. */
  readonly text: string
  readonly retryAfterMs?: number | undefined
}

/** Outcome of a step. */
export type Outcome =
  | { readonly kind: 'next'; readonly progress: Progress; readonly text: string }
  /** The same step again; `text` says what is waited for. */
  | { readonly kind: 'wait'; readonly ms: number; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The certificate is stored. */
  | { readonly kind: 'issued'; readonly renewAt: number; readonly notAfter: number; readonly text: string }
  /** Nothing changed; the certificate is due at that time. */
  | { readonly kind: 'rest'; readonly renewAt: number }

/** A problem as it is kept with an order. */
export interface Problem {
  readonly code: FailureCode
  readonly text: string
  readonly at: number
}

/** Orders that failed one after the other, since a certificate was issued or a person changed something. */
export interface FailedOrders {
  readonly count: number
  /** The last one's. */
  readonly problem: Problem
}

/** An entry of an order's history. */
export interface HistoryEntry {
  readonly at: number
  readonly tone: 'step' | 'good' | 'bad'
  readonly text: string
}

/** The part of an order that steps change. */
export interface OrderState {
  readonly progress: Progress
  /** Consecutive failures of the step. */
  readonly attempts: number
  /** Why the step failed; null once it has succeeded. */
  readonly problem: Problem | null
  readonly failed: FailedOrders | null
  readonly nextAt: number | null
  readonly renewAt: number | null
  readonly notAfter: number | null
  readonly history: readonly HistoryEntry[]
}

/** State after an outcome, and whether the TXT records of the order are still needed. */
export interface Advance {
  readonly state: OrderState
  readonly keepsRecords: boolean
}

const minute = 60_000
const hour = 60 * minute
/** Entries of a history that are kept. */
const maxHistory = 80
/** Time after which the authority's renewal information is read again. */
export const renewalCheck = 6 * hour

/** Failures that pass by themselves: the same step is tried again, and what was reached is kept. */
const passing: ReadonlySet<FailureCode> = new Set([
  'authority-away',
  'rate-limited',
  'external-account',
  'not-reachable',
  'provider-away',
  'provider-refused',
  'wrong-credentials',
  'wrong-zone',
  'dns-away',
  'internal',
])
/** After so many failures of one step in a row the order begins anew: an authority forgets orders after a week at most. */
const maxAttempts = 12
/** An issued certificate that cannot be fetched or stored is tried for a week: another one counts for limits of the authority. */
const maxDownloads = 174

/** Pause after a number of failures in a row, of a step that is tried again or of whole orders, milliseconds. */
export function pauseAfter(attempts: number, isPassing: boolean): number {
  const pauses = isPassing
    ? [minute / 2, minute, 2 * minute, 5 * minute, 15 * minute, 30 * minute, hour]
    : [5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour]
  return pauses[Math.min(Math.max(attempts, 1), pauses.length) - 1] ?? hour
}

/** The next state of an order. Pure: the same state, outcome and time always give the same. */
export function advance(state: OrderState, outcome: Outcome, now: number): Advance {
  switch (outcome.kind) {
    case 'next': {
      const isWaiting = outcome.progress.step === state.progress.step
      const history = isWaiting ? state.history : added(state.history, { at: now, tone: 'step', text: outcome.text })
      const next = { ...state, progress: outcome.progress, attempts: 0, problem: null, nextAt: now, history }
      return { state: next, keepsRecords: outcome.progress.step !== 'order' && outcome.progress.step !== 'account' }
    }
    case 'wait': {
      const history = added(state.history, { at: now, tone: 'step', text: outcome.text })
      const progress = sinceAtLast(state.progress, now)
      const next = { ...state, progress, attempts: 0, problem: null, nextAt: now + outcome.ms, history }
      return { state: next, keepsRecords: true }
    }
    case 'issued': {
      const { renewAt, notAfter } = outcome
      const history = added(state.history, { at: now, tone: 'good', text: outcome.text })
      const idle = { progress: { step: 'idle' }, attempts: 0, problem: null, failed: null } as const
      return { state: { ...idle, nextAt: restUntil(renewAt, now), renewAt, notAfter, history }, keepsRecords: false }
    }
    case 'rest': {
      const nextAt = restUntil(outcome.renewAt, now)
      return { state: { ...state, attempts: 0, problem: null, renewAt: outcome.renewAt, nextAt }, keepsRecords: false }
    }
    case 'failed':
      return afterFailure(state, outcome.failure, now)
  }
}

/** Counts a wait from now when it began in the future, by a clock that was wrong. */
const sinceAtLast = (progress: Progress, now: number): Progress =>
  'since' in progress && progress.since !== undefined && progress.since > now ? { ...progress, since: now } : progress

/** Renewal information is read some times a day, so that a certificate that is to be revoked is replaced before. */
const restUntil = (renewAt: number, now: number): number => Math.min(renewAt, now + renewalCheck)

function afterFailure(state: OrderState, { code, text, retryAfterMs = 0 }: Failure, now: number): Advance {
  const problem = { code, text, at: now }
  const base = { ...state, problem, history: added(state.history, { at: now, tone: 'bad', text }) }
  const anew: Progress = state.progress.step === 'idle' ? state.progress : { step: 'account' }
  if (passing.has(code)) {
    const attempts = state.attempts + 1
    const nextAt = now + Math.max(pauseAfter(attempts, true), retryAfterMs)
    const keepsRecords = attempts < (state.progress.step === 'download' ? maxDownloads : maxAttempts)
    return { state: { ...base, progress: keepsRecords ? state.progress : anew, attempts, nextAt }, keepsRecords }
  }
  const failed = { count: (state.failed?.count ?? 0) + 1, problem }
  const nextAt = now + Math.max(pauseAfter(failed.count, false), retryAfterMs)
  return { state: { ...base, progress: anew, attempts: 0, failed, nextAt }, keepsRecords: false }
}

/** The same text twice in a row stands once, with the newer time. */
function added(history: readonly HistoryEntry[], entry: HistoryEntry): HistoryEntry[] {
  const last = history.at(-1)
  const before = last?.text === entry.text && last.tone === entry.tone ? history.slice(0, -1) : history
  return [...before, entry].slice(-maxHistory)
}

/** The state of a new order, or of one that starts again at once. */
export function begin(
  before: Partial<Pick<OrderState, 'renewAt' | 'notAfter' | 'history'>>,
  text: string,
  now: number,
): OrderState {
  const { renewAt = null, notAfter = null, history = [] } = before
  return {
    progress: { step: 'account' },
    attempts: 0,
    problem: null,
    failed: null,
    nextAt: now,
    renewAt,
    notAfter,
    history: added(history, { at: now, tone: 'step', text }),
  }
}

/** The state of an order whose step a person wants tried now: what made orders fail may be mended. */
export function tryNow(state: OrderState, now: number): OrderState {
  return { ...state, failed: state.failed && { ...state.failed, count: 0 }, nextAt: now }
}

/** The state of an order whose certificate was revoked: it is not renewed any more. */
export function withdraw(state: OrderState, text: string, now: number): OrderState {
  const rest = { attempts: 0, problem: null, failed: null, nextAt: null, renewAt: null }
  return { ...noted(state, text, now), ...rest, progress: { step: 'revoked' } }
}

/** The state with one more entry in its history. */
export function noted(state: OrderState, text: string, now: number): OrderState {
  return { ...state, history: added(state.history, { at: now, tone: 'step', text }) }
}

/** When a certificate is renewed without other advice: at two thirds of its life. */
export function twoThirds(notBefore: number, notAfter: number): number {
  return Math.round(notBefore + ((notAfter - notBefore) * 2) / 3)
}
