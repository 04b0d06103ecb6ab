import type { Timers } from '@hearth/runtime'
import type { TaskState } from './stem-answers.ts'
import type { StemClient } from './stem-client.ts'
import { failureOfCode, isPassing, speaksOfMissingFile, StemServiceError } from './stem-service-error.ts'

/** A task that ended well. */
export type FinishedTask = Extract<TaskState, { state: 'success' }>

/** A task to wait for, with its dependencies. */
export interface Awaiting {
  readonly client: Pick<StemClient, 'check'>
  readonly key: string
  readonly taskId: string
  readonly signal: AbortSignal
  readonly timers: Timers
  /** The first one lies between two queries when all is well. */
  readonly pauses: Pauses
  readonly onPercent: (percent: number) => void
}

/** Number of times in a row that a task may be unknown to the service, or its state unavailable, before that is believed. */
const maxUnknown = 4

/**
 * Queries the task until it has ended. Refusals, outages and invalid answers are retried with growing delays, because the task
 * is paid and continues; the signal sets the end. A task that failed, was cancelled or is gone throws a `StemServiceError`.
 */
export async function awaitTask(awaiting: Awaiting): Promise<FinishedTask> {
  let failures = 0
  let blanks = 0
  for (;;) {
    const state = await query(awaiting)
    const isBlank = state === 'missing' || (state !== undefined && state.state === 'unknown')
    blanks = isBlank ? blanks + 1 : 0
    if (isBlank && blanks >= maxUnknown) throw errorOfBlank(state)
    if (state !== undefined && state !== 'missing') {
      const finished = settle(state)
      if (finished !== undefined) return finished
      if (state.state === 'progress') awaiting.onPercent(state.percent)
    }
    failures = isBlank || state === undefined ? failures + 1 : 0
    await awaiting.timers.delay(nextWait(failures, awaiting.pauses), awaiting.signal)
  }
}

/** The state, `missing` when the service does not know the task, nothing when there was no answer to be had. */
async function query({ client, key, taskId, signal }: Awaiting): Promise<TaskState | 'missing' | undefined> {
  try {
    return (await client.check(key, taskId, signal)) ?? 'missing'
  } catch (error) {
    if (!signal.aborted && isPassing(error)) return undefined
    throw error
  }
}

function settle(state: TaskState): FinishedTask | undefined {
  switch (state.state) {
    case 'success':
      return state
    case 'cancelled':
      throw new StemServiceError('cancelled')
    case 'error':
      throw new StemServiceError(failureOfCode(state.code) ?? 'failed', { code: state.code, detail: state.detail })
    case 'progress':
    case 'unknown':
      return undefined
  }
}

function errorOfBlank(state: 'missing' | TaskState): StemServiceError {
  if (state === 'missing') return new StemServiceError('expired', { detail: 'the service does not know the task' })
  const detail = state.state === 'unknown' ? state.detail : ''
  return new StemServiceError(speaksOfMissingFile(detail) ? 'expired' : 'upstream', { detail })
}

/** Minimum and maximum pause, milliseconds. */
interface Pauses {
  readonly first: number
  readonly max: number
}

/** The pause before the next attempt: twice as long after each failure in a row, within bounds; the first one without. */
export const nextWait = (failures: number, { first, max }: Pauses): number =>
  Math.min(max, first * 2 ** Math.min(failures, 30))
