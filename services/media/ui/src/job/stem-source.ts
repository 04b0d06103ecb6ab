import { formatCount } from '@hearth/ui/format'
import type { StemEvent } from '../api.ts'

/** Source of a separation: all of a sound, or one saved clip; `part` is the id of its trim. */
export interface StemSource {
  /** Empty for all of it. */
  part: string
  label: string
  seconds: number
}

/** Longer sounds are refused while the guard is on, seconds. */
export const guardedLength = 600

/** The minutes of the account a separation uses up: begun minutes count. */
export const costOf = ({ seconds }: Pick<StemSource, 'seconds'>): number => Math.max(1, Math.ceil(seconds / 60))

/** Reason why a separation is not possible; undefined when it is. */
export function stemProblem(
  source: StemSource,
  { isGuarded, minutesLeft }: { isGuarded: boolean; minutesLeft: number | null },
): string | undefined {
  if (isGuarded && source.seconds > guardedLength)
    return 'This is longer than 10 minutes. Save a clip first, or turn the guard off in the settings.'
  if (minutesLeft !== null && minutesLeft < costOf(source))
    return `This takes about ${formatCount(costOf(source), 'minute')}; the account has ${formatCount(minutesLeft, 'minute')} left.`
  return undefined
}

/** Label of each stage, and its range in the whole progress, percent. */
const stages: Readonly<Record<StemEvent['stage'], { text: string; from: number; to: number }>> = {
  upload: { text: 'Sending the audio to the service', from: 0, to: 15 },
  processing: { text: 'Separating', from: 15, to: 85 },
  download: { text: 'Fetching the stems', from: 85, to: 100 },
  done: { text: 'Done', from: 100, to: 100 },
  failed: { text: 'Failed', from: 0, to: 0 },
}

/** Progress of a whole separation: the label of its stage, and percent. */
export function stemProgress({ stage, progress }: Pick<StemEvent, 'stage' | 'progress'>): {
  text: string
  percent: number
} {
  const { text, from, to } = stages[stage]
  return { text, percent: Math.round(from + ((to - from) * progress) / 100) }
}
