import { nextAvailability, unknownAvailability, type Availability } from './availability.ts'

/** Kind of time that is counted. */
export type TimeKind = 'up' | 'down' | 'maintenance'

/** Observed time: from and to by the wall clock, as far as it was not counted before, and its length by the monotonic clock. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly lasted: number
}

/** Time to count, with its kind. */
export interface Credit extends Span {
  readonly kind: TimeKind
}

/** What is remembered of a subject between two observations. */
export interface Track {
  readonly availability: Availability
  readonly isInMaintenance: boolean
  /** Monotonic time of the last observation; undefined after a start. */
  readonly lastAt: number | undefined
  /** Wall time up to which time was counted or is held. */
  readonly creditedUntil: number
  /** Time whose kind the next checks decide. */
  readonly held: readonly Span[]
  /** Wall time of the first check that speaks against the state. */
  readonly againstSince: number | undefined
}

/** Result of a check, or the word that there was none because of maintenance. */
export interface Observed {
  readonly kind: 'good' | 'failed' | 'maintenance'
  /** Wall time. */
  readonly at: number
  /** True by a wall clock that is believed. */
  readonly isSettled: boolean
  readonly monotonic: number
  /** Longest time since the last observation for which that one still speaks; a longer one was not observed. */
  readonly maxGap: number
  readonly failures: number
}

/** Result of an observation. `began` and `ended` are wall times of an incident. */
export interface Step {
  readonly track: Track
  readonly credits: readonly Credit[]
  readonly began?: number
  readonly ended?: number
  /** Why `at` is no time to count at: the clock is far behind what was counted, and may be wrong itself. */
  readonly isDoubted?: true
  /** The clock was wrong before: what was counted for later days is forgotten. */
  readonly hasForgotten?: true
}

/** Either a wall clock that is this far behind what was counted is wrong, or it was wrong before, milliseconds. */
const farBack = 86_400_000
/** Returns a track that continues with what is stored. */
export function openTrack(stored: { readonly creditedUntil: number; readonly isDown: boolean }): Track {
  return {
    availability: stored.isDown ? { state: 'down', against: 0 } : unknownAvailability,
    isInMaintenance: false,
    lastAt: undefined,
    creditedUntil: stored.creditedUntil,
    held: [],
    againstSince: undefined,
  }
}

/**
 * Takes an observation. The time since the last one gets the kind of what that one showed: lengths come from the monotonic clock,
 * and no wall time counts twice. Time between a check that contradicts the state and its confirmation is held until it is known
 * whose time it was.
 */
export function observe(track: Track, observed: Observed): Step {
  const { at, isSettled } = observed
  if (at >= track.creditedUntil - farBack) return proceed(track, observed)
  if (isSettled) return { ...proceed({ ...track, creditedUntil: at, held: [] }, observed), hasForgotten: true }
  // The state goes on; the time is nobody's.
  return { ...proceed({ ...track, lastAt: undefined }, observed), isDoubted: true }
}

function proceed(before: Track, observed: Observed): Step {
  const span = spanSince(before, observed)
  const creditedUntil = Math.max(before.creditedUntil, span?.end ?? before.creditedUntil)
  const known = { ...before, creditedUntil, lastAt: observed.monotonic }
  return observed.kind === 'maintenance' ? inMaintenance(known, span, observed.at) : checked(known, span, observed)
}

/** The time since the last observation, without what was counted already; undefined when nothing can be said about it. */
function spanSince({ lastAt, creditedUntil }: Track, { at, monotonic, maxGap }: Observed): Span | undefined {
  if (lastAt === undefined) return undefined
  const lasted = Math.max(0, monotonic - lastAt)
  if (lasted > maxGap) return undefined
  return { start: Math.min(at, Math.max(at - lasted, creditedUntil)), end: at, lasted }
}

function inMaintenance(track: Track, span: Span | undefined, at: number): Step {
  const { state } = track.availability
  const spans = [...track.held, ...(span === undefined ? [] : [span])]
  const after = {
    ...track,
    availability: unknownAvailability,
    isInMaintenance: true,
    held: [],
    againstSince: undefined,
  }
  const credits = track.isInMaintenance
    ? spans.map((one) => ({ ...one, kind: 'maintenance' as const }))
    : creditsOf(spans, state)
  return { track: after, credits, ...(state === 'down' && { ended: at }) }
}

function checked(track: Track, span: Span | undefined, { kind, at, failures }: Observed): Step {
  const before = track.availability
  const next = nextAvailability(before, kind === 'good', failures)
  const spans = span === undefined ? [] : [span]
  const againstSince = next.against === 0 ? undefined : (track.againstSince ?? at)
  const after = { ...track, availability: next, isInMaintenance: false, againstSince }
  const change = {
    ...(next.state === 'down' && before.state !== 'down' && { began: track.againstSince ?? at }),
    ...(next.state !== 'down' && before.state === 'down' && { ended: track.againstSince ?? at }),
  }
  if (track.isInMaintenance)
    return { track: after, credits: spans.map((one) => ({ ...one, kind: 'maintenance' as const })), ...change }
  // Nothing spoke against the state until now, so the time was its own.
  const isOwn = before.against === 0
  const credits = isOwn ? creditsOf(spans, before.state) : []
  const held = isOwn ? [] : [...track.held, ...spans]
  if (next.against > 0) return { track: { ...after, held }, credits, ...change }
  return { track: { ...after, held: [] }, credits: [...credits, ...creditsOf(held, next.state)], ...change }
}

/** Time of a state; that of none is not counted. */
function creditsOf(spans: readonly Span[], state: Availability['state']): Credit[] {
  return state === 'unknown' ? [] : spans.map((span) => ({ ...span, kind: state }))
}
