import type { Log, Timers } from '@hearth/runtime'
import type { EventClass } from './message.ts'
import type { Reports } from './outbox/reporter.ts'
import { startRepeatedCheck } from './repeated-check.ts'

/** The event class of new versions, which every service has. */
export const releaseClass: EventClass = {
  id: 'release.available',
  group: 'Updates',
  label: 'New version',
  severity: 'info',
}

/** Result of a check for newer versions. */
export interface FoundRelease {
  /** The installed version. */
  readonly version: string
  readonly latest: string | null
  /** Null when the check failed. */
  readonly update_available: boolean | null
  /** Page about the newest version. */
  readonly url: string | null
}

export interface ReleaseWatch {
  readonly reports: Reports
  readonly check: () => Promise<FoundRelease>
  readonly timers: Timers
  readonly log: Log
}

/** A version is looked for a minute after the start, when the service is busy with nothing else, and then daily; milliseconds. */
const firstAfterMs = 60_000
const everyMs = 86_400_000

/** Looks for a newer version every day until closed, and tells of each once. */
export function watchReleases({ reports, check, timers, log }: ReleaseWatch): { close(): Promise<void> } {
  const look = async () => {
    const { version, latest, update_available: isNewer, url } = await check()
    if (isNewer === null) return
    const text = [`Version ${version} is installed.`, ...(url === null ? [] : [url])].join(' ')
    const found = isNewer && latest !== null ? [{ subject: latest, title: `Hearth ${latest} is available`, text }] : []
    reports.replaceAll(releaseClass.id, found, { ended: () => undefined })
  }
  return startRepeatedCheck({ check: look, firstAfterMs, everyMs, timers, log })
}
