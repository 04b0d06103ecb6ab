import { BlockReason } from '../platforms/schema.ts'

const minute = 60_000
/** First pause, and the longest one, milliseconds. A robot check lasts longer than a count of requests. */
const lengths: Readonly<Record<BlockReason, { readonly first: number; readonly max: number }>> = {
  rate_limited: { first: 5 * minute, max: 60 * minute },
  bot_check: { first: 15 * minute, max: 240 * minute },
}

/** Longest wait of a pause, milliseconds. One that would be longer is over: the clock was put back. */
export const longestPause = Math.max(...Object.values(lengths).map(({ max }) => max))

/** Length of a pause after so many refusals in a row, milliseconds: each doubles it, up to a limit. */
export function pauseLength(reason: BlockReason, refusals: number): number {
  const { first, max } = lengths[reason]
  return Math.min(max, first * 2 ** Math.min(refusals - 1, 20))
}

/** Number of times that a job goes back into the queue because its platform refuses this server; then it fails. */
export const maxRefusals = 5

/** The reason for a pause in the code of a failure; undefined for one that is about the medium or this server. */
export const blockReasonOf = (code: string): BlockReason | undefined => BlockReason.safeParse(code).data

/** Failures with which a platform answers: it let this server in, and there is something about the medium. */
const answers: ReadonlySet<string> = new Set([
  'login_required',
  'private',
  'removed',
  'geo_blocked',
  'live',
  'too_large',
  'too_long',
])

/** Returns true for a failure that shows that the platform lets this server in. */
export const showsAdmission = (code: string): boolean => answers.has(code)
