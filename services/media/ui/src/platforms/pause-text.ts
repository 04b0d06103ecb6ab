import type { PlatformHealth } from '../api.ts'
import { clock, platformNames } from '../jobs/job-labels.ts'

type Pause = NonNullable<PlatformHealth['pause']>

const refusals: Readonly<Record<Pause['reason'], string>> = {
  bot_check: 'takes this server for a robot',
  rate_limited: 'takes no more requests from this server for now',
}

/** What happened: `YouTube takes this server for a robot`. */
export const pauseTitle = ({ platform, reason }: { platform: PlatformHealth['platform']; reason: Pause['reason'] }) =>
  `${platformNames[platform]} ${refusals[reason]}`

/** What comes next; `left` is the rest of the pause, seconds. */
export function pauseOutlook({ is_probing: isProbing }: Pick<Pause, 'is_probing'>, waiting: number, left: number) {
  const downloads = waiting === 0 ? '' : `${waiting === 1 ? '1 download waits' : `${waiting} downloads wait`}. `
  if (isProbing) return `${downloads}One is being tried now.`
  if (left > 0) return `${downloads}The next try is in ${clock(left)}.`
  return waiting === 0 ? 'The next download is the try.' : `${downloads}One is tried next.`
}
