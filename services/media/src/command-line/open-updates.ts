import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createOutboundPolicy } from '@hearth/outbound'
import { createLog, OperatorError, systemTimers } from '@hearth/runtime'
import { createCookieJars } from '../cookies/jars.ts'
import { openTools } from '../app.ts'
import { createPlatformHosts } from '../platforms/platform-hosts.ts'
import { Problem } from '../problems.ts'
import { openSettings } from '../settings/settings.ts'
import { createUpdates, type Updater } from '../updates/updates.ts'
import { withStorage } from './data.ts'

/** Opens the updates for one command, whether or not the service runs. A problem becomes an `OperatorError`. */
export async function openUpdates(work: (updates: Updater) => Promise<void>): Promise<void> {
  await withStorage(async ({ database, sealer, config }) => {
    const db = database.query
    const scratch = join(config.dataDirectory, 'scratch')
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    const { tools, chosenYtDlp } = openTools({
      config,
      db,
      settings: await openSettings(db),
      timers: systemTimers,
      log: createLog({ name: 'media', level: config.logLevel }),
      policy: createOutboundPolicy(config.outboundAllow),
    })
    try {
      const updates = createUpdates({
        config,
        db,
        clock: systemTimers,
        tools,
        chosenYtDlp,
        jars: createCookieJars({ db, sealer, clock: systemTimers }),
        hosts: createPlatformHosts(config.extraHosts),
        scratch,
      })
      await work(updates)
    } catch (error) {
      throw error instanceof Problem ? new OperatorError(error.message, { cause: error }) : error
    } finally {
      chosenYtDlp.close()
      tools.close()
    }
  })
}
