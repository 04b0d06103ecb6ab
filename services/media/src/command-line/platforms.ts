import { OperatorError, systemClock } from '@hearth/runtime'
import { readHealth } from '../health/health.ts'
import { listPauses, shortenPause } from '../pauses/store.ts'
import { Platform } from '../platforms/schema.ts'
import { withStorage } from './data.ts'

/** Prints the health of every platform, as lines or as JSON. */
export async function printHealth(isJson: boolean): Promise<void> {
  await withStorage(async ({ database: { query: db } }) => {
    const health = await readHealth({ db, clock: systemClock, pauses: { list: () => listPauses(db) } })
    if (isJson) process.stdout.write(`${JSON.stringify(health, null, 2)}\n`)
    else
      for (const { platform, state, completed, failed, reason, pause } of health)
        process.stdout.write(
          `${[platform, state, completed, failed, reason ?? '-', pause?.seconds_left ?? '-'].join('\t')}\n`,
        )
  })
}

/** Ends the wait of a paused platform. */
export async function tryPlatform(name: string): Promise<void> {
  const platform = Platform.safeParse(name).data
  if (platform === undefined) throw new OperatorError(`${name} is none of ${Platform.options.join(', ')}`)
  await withStorage(async ({ database }) => {
    const isPaused = await shortenPause(database.query, platform, systemClock.now())
    process.stderr.write(
      isPaused ? `the wait is over; the next download of ${platform} is tried\n` : `${platform} does not wait\n`,
    )
  })
}
