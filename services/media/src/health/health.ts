import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { jobTimestamp } from '../jobs/job-view.ts'
import { longestPause } from '../pauses/pause-rules.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { PauseState } from '../pauses/store.ts'
import { Platform } from '../platforms/schema.ts'
import type { Tables } from '../tables.ts'
import { adviceFor, observeHealth } from './platform-health.ts'
import type { PlatformHealth } from './schema.ts'
import { countWaiting, lastCompletion, lastOutcomes } from './store.ts'

/** Downloads by which a platform is judged. */
const judged = 20

export interface HealthDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly pauses: Pick<PlatformPauses, 'list'>
}

/** Returns the health of every platform. */
export async function readHealth({ db, clock, pauses }: HealthDependencies): Promise<PlatformHealth[]> {
  const [paused, waiting] = await Promise.all([pauses.list(), countWaiting(db)])
  return Promise.all(
    Platform.options.map(async (platform) => {
      const [outcomes, completedAt] = await Promise.all([
        lastOutcomes(db, platform, judged),
        lastCompletion(db, platform),
      ])
      const pause = paused.find((one) => one.platform === platform)
      const observed = observeHealth(outcomes)
      const reason = pause?.reason ?? observed.reason
      return {
        platform,
        completed: observed.completed,
        failed: observed.failed,
        state: pause === undefined ? observed.state : ('blocked' as const),
        reason,
        advice: reason === null ? null : adviceFor(reason),
        last_completed_at: completedAt === null ? null : jobTimestamp(completedAt),
        waiting: waiting.get(platform) ?? 0,
        pause: pause === undefined ? null : pauseView(pause, clock.now()),
      }
    }),
  )
}

const pauseView = ({ reason, began_at, paused_until, refusals, is_probing }: PauseState, now: number) => ({
  reason,
  since: jobTimestamp(began_at),
  seconds_left: paused_until - now > longestPause ? 0 : Math.max(0, Math.ceil((paused_until - now) / 1000)),
  refusals,
  is_probing,
})
