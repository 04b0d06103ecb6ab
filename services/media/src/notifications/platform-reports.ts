import type { Reports } from '@hearth/notifications'
import type { Log } from '@hearth/runtime'
import type { MediaBus } from '../events.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { PauseState } from '../pauses/store.ts'
import { Platform, platformNames, type BlockReason } from '../platforms/schema.ts'

export interface PauseReportDependencies {
  readonly bus: MediaBus
  readonly pauses: Pick<PlatformPauses, 'list'>
  readonly reports: Reports
  readonly log: Log
}

/** Reports platforms that refuse this server, and those that let it in again, whichever process noticed. */
export function followPauses({ bus, pauses, reports, log }: PauseReportDependencies): () => void {
  const report = () =>
    void pauses.list().then(
      (paused) => reportPauses(reports, paused),
      (error: unknown) => log.warn({ err: error }, 'the pauses of platforms could not be read'),
    )
  report()
  return bus.subscribe((event) => {
    if ('type' in event && event.type === 'platforms_changed') report()
  }, report)
}

const texts: Readonly<Record<BlockReason, string>> = {
  bot_check: 'It takes this server for a robot. Cookies of a signed-in account usually help.',
  rate_limited: 'It takes no more requests from this server for a while.',
}

/** Reports the pauses there are; every platform without one lets this server in. */
export function reportPauses(reports: Reports, paused: readonly Pick<PauseState, 'platform' | 'reason'>[]): void {
  for (const platform of Platform.options) {
    const path = `/settings?tab=cookies&platform=${platform}`
    const condition = { class: 'platform.blocked', subject: platform, path }
    const pause = paused.find((one) => one.platform === platform)
    const name = platformNames[platform]
    if (pause === undefined) reports.end({ ...condition, title: `${name} lets this server in again`, text: '' })
    else {
      const text = `${texts[pause.reason]} Its downloads wait, and one is tried from time to time.`
      reports.begin({ ...condition, title: `${name} blocks this server`, text })
    }
  }
}
