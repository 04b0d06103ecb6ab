import { decisionCounts } from '../decision-counts.ts'

/** Most servers that are queried for all names. */
export const maxServers = 12
/** Most servers of forwarded zones. */
export const maxZoneServers = 32
/** Most upstreams: each server may have another one that speaks TCP. */
export const maxUpstreams = 2 * (maxServers + maxZoneServers)

/** Most sockets to upstreams at a time. */
export const maxPorts = 256

const words = {
  generation: 0,
  seen: 1,
  heartbeat: 2,
  cacheEntries: 3,
  refused: 4,
  limited: 5,
  /** The number the system knows the data thread by; 0 while it is unknown. */
  thread: 6,
  /** Bytes that were copied out of the cache, and one more; 0 while they are copied. */
  cacheBytes: 7,
  descriptors: 8,
} as const
const descriptorCount = maxPorts + 8
const figuresAt = 4 * (words.descriptors + descriptorCount)

/** Figures of an upstream, counted from `at` in `figures`. */
export const Figure = {
  /** Queries sent to it; one that is sent again counts again. */
  queries: 0,
  /** Number of them without an answer, or with a refusal; each counts once. */
  failures: 1,
  /** Milliseconds, smoothed; 0 before the first answer. */
  average: 2,
  /** Failures since the last answer. */
  streak: 3,
  isDown: 4,
  /** A `FailureCode`. */
  lastFailure: 5,
  lastAnswerAt: 6,
  lastProbeAt: 7,
  /** Time of the first failure since the last answer, milliseconds since the epoch; 0 for none. */
  failingSince: 8,
  count: 9,
} as const

const figureCount = Figure.count * maxUpstreams

/** Last failure of an upstream. */
export const FailureCode = { none: 0, silent: 1, unreachable: 2, refused: 3 } as const

/** Memory that data thread and control thread share, to see each other's state without messages. */
export interface SharedState {
  readonly memory: SharedArrayBuffer
  /** The control thread has updates in the port, for so many times now. */
  readonly words: Int32Array
  readonly figures: Float64Array
  /** See `countDecision`. */
  readonly decisions: Float64Array
}

/** Positions in `words`. */
export const Shared = words

/** Memory for it, all zero. */
export const createSharedMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(figuresAt + 8 * (figureCount + decisionCounts))

/** Opens the shared memory. */
export function openSharedState(memory: SharedArrayBuffer): SharedState {
  return {
    memory,
    words: new Int32Array(memory, 0, words.descriptors + descriptorCount),
    figures: new Float64Array(memory, figuresAt, figureCount),
    decisions: new Float64Array(memory, figuresAt + 8 * figureCount, decisionCounts),
  }
}

/**
 * Notes an open descriptor that the data thread owns, so that it can be closed when the thread ended without doing so: the
 * system's calls know nothing of threads that Node ends.
 */
export function noteDescriptor(state: SharedState, descriptor: number): void {
  for (let at = words.descriptors; at < state.words.length; at++) {
    if (state.words[at] === 0) {
      state.words[at] = descriptor + 1
      return
    }
  }
}

/** Forgets a descriptor that was closed. */
export function forgetDescriptor(state: SharedState, descriptor: number): void {
  const at = state.words.indexOf(descriptor + 1, words.descriptors)
  if (at >= 0) state.words[at] = 0
}

/** The descriptors a thread that ended left open; they are forgotten. */
export function takeDescriptors(state: SharedState): number[] {
  const left = [...state.words.subarray(words.descriptors)].filter((word) => word !== 0).map((word) => word - 1)
  state.words.fill(0, words.descriptors)
  return left
}
