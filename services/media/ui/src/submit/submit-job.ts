import { answer, ApiError, describeError } from '@hearth/ui'
import { api, type Job } from '../api.ts'
import type { Submitted } from './batch.ts'
import { requestedKind, type Choices } from './choices.ts'

/** Requests a download. Throws an `ApiError`; see `existingJobOf`. */
export function submitJob(url: string, choices: Choices, isConfirmed: boolean): Promise<Job> {
  return answer(
    api.POST('/api/submit', {
      body: {
        url,
        ...requestedKind(choices),
        ...(isConfirmed ? { confirm_duplicate: 'true' } : {}),
      },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  )
}

/** The job that is there already when a submission was refused for it. */
export function existingJobOf(error: unknown): Job | undefined {
  if (!(error instanceof ApiError) || error.message !== 'duplicate_job') return undefined
  return error.details['existing_job'] as Job | undefined
}

/** Reason why a URL was refused, in the words of the page. */
export const refusalOf = (error: unknown): string => refusalText(describeError(error))

/** The same of the reason that the server names. */
export const refusalText = (detail: string): string => detail.replace(/^url /i, 'This address ')

/** The same as one step of a batch: nothing is thrown, and a limit is a pause. */
export async function submitOne(
  url: string,
  choices: Choices,
  isConfirmed: boolean,
): Promise<Submitted & { job?: Job }> {
  try {
    const job = await submitJob(url, choices, isConfirmed)
    return { kind: 'added', jobId: job.id, title: job.video_title, job }
  } catch (error) {
    const existing = existingJobOf(error)
    if (existing !== undefined) return { kind: 'duplicate', jobId: existing.id, title: existing.video_title }
    if (error instanceof ApiError && error.status === 429) return { kind: 'pause', seconds: error.retryAfter ?? 30 }
    return { kind: 'failed', message: refusalOf(error) }
  }
}
