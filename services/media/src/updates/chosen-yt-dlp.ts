import type { OutboundAllow } from '@hearth/outbound'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { MediaBus } from '../events/schema.ts'
import { isTerminal } from '../jobs/job-machine.ts'
import type { SettingsKeeper } from '../settings/settings.ts'
import { findProgram } from '../tools/find-program.ts'
import { createReleaseWeb, type ReleaseWeb } from './release-web.ts'
import { firstEnds } from './store.ts'
import { encodePin, parsePin, type Fetched, type ToolPin } from './tool-pin.ts'
import { openVersionFolder, versionsIn, type VersionFolder } from './version-folder.ts'

export interface ChosenParts {
  readonly config: {
    readonly dataDirectory: string
    readonly ytDlpPath: string | undefined
    readonly updatesUrl: string | undefined
    readonly outboundAllow: OutboundAllow
  }
  readonly db: Kysely<Tables>
  readonly settings: Pick<SettingsKeeper, 'internal' | 'write' | 'refresh'>
  readonly timers: Clock
  readonly log: Log
  /** Tells how jobs end; without it nobody watches them. */
  readonly bus?: MediaBus
  /** Fetches a version that another process took. */
  readonly fetchMissing?: (chosen: ChosenYtDlp, wanted: Fetched) => Promise<void>
}

/** So many jobs in a row that fail for an outdated yt-dlp, and nothing else, show that a new one does not work. */
const trialJobs = 3
const retryMissing = 3_600_000

/** Which yt-dlp is used: `YTDLP_PATH`, otherwise the one that was fetched and taken, otherwise the one in `PATH`. */
export class ChosenYtDlp {
  readonly versions: VersionFolder
  readonly web: ReleaseWeb
  /** Whether the operator named a program, so that nothing is to be chosen. */
  readonly isFixed: boolean
  readonly #parts: ChosenParts
  readonly #unsubscribe: () => void
  #missingSince: number | undefined

  constructor(parts: ChosenParts) {
    const { dataDirectory, updatesUrl, outboundAllow, ytDlpPath } = parts.config
    this.#parts = parts
    this.isFixed = ytDlpPath !== undefined
    this.versions = openVersionFolder(versionsIn(dataDirectory))
    this.web = createReleaseWeb(updatesUrl, outboundAllow)
    const watch = parts.bus?.subscribe((event) => {
      if ('status' in event && isTerminal(event.status) && this.#known()?.isOnTrial === true)
        this.#judge().catch((error: unknown) => parts.log.warn({ err: error }, 'the new yt-dlp could not be judged'))
    })
    this.#unsubscribe = watch ?? (() => undefined)
  }

  /** Path of the program for the next run. What another process chose meanwhile counts. */
  async program(): Promise<string> {
    const { ytDlpPath } = this.#parts.config
    if (ytDlpPath !== undefined) return ytDlpPath
    const current = (await this.pin())?.current ?? 'system'
    if (current === 'system') return systemYtDlp() ?? '/usr/bin/yt-dlp'
    if (this.versions.has(current.version)) return this.versions.pathOf(current.version)
    this.#fetchMissing(current)
    return systemYtDlp() ?? this.versions.pathOf(current.version)
  }

  /** Undefined while nothing was ever taken. */
  async pin(): Promise<ToolPin | undefined> {
    // Another process, or the command line, may have written; the last known pin does when the database cannot be read.
    await this.#parts.settings.refresh().catch(() => undefined)
    return this.#known()
  }

  /** Uses a version from now on; the one before is kept. Its first jobs are watched. */
  async take(fetched: Fetched): Promise<void> {
    const before = (await this.pin())?.current ?? (systemYtDlp() === undefined ? undefined : 'system')
    const since = this.#parts.timers.now()
    await this.#write({
      current: fetched,
      since,
      isOnTrial: true,
      ...(before === undefined ? {} : { previous: before }),
    })
    const kept = [fetched, before].flatMap((one) => (typeof one === 'object' ? [one.version] : []))
    await this.versions.keepOnly(kept)
  }

  /** Uses the one before again; returns its name, or undefined when there is none. */
  async goBack(): Promise<string | undefined> {
    const previous = (await this.pin())?.previous
    if (previous === undefined || (previous === 'system' && systemYtDlp() === undefined)) return undefined
    await this.#write({ current: previous, since: this.#parts.timers.now(), isOnTrial: false })
    return previous === 'system' ? 'that of the system' : previous.version
  }

  close(): void {
    this.#unsubscribe()
  }

  /** Looks at the first jobs of a new version: one that does not fail for it is enough to keep it. */
  async #judge(): Promise<void> {
    const pin = await this.pin()
    if (pin?.isOnTrial !== true) return
    const ends = await firstEnds(this.#parts.db, { since: pin.since, limit: trialJobs })
    if (ends.some((code) => code !== 'tool_outdated')) return this.#write({ ...pin, isOnTrial: false })
    if (ends.length < trialJobs) return
    const back = await this.goBack()
    this.#parts.log.warn({ from: pin.current, back }, 'the new yt-dlp reads nothing; the one before is used again')
  }

  #known(): ToolPin | undefined {
    return parsePin(this.#parts.settings.internal('pinned_tools'))
  }

  #write(pin: ToolPin): Promise<void> {
    return this.#parts.settings.write({}, { pinned_tools: encodePin(pin) })
  }

  /** In the background, and not again for an hour when it fails: meanwhile the system's does. */
  #fetchMissing(wanted: Fetched): void {
    const { fetchMissing, timers, log } = this.#parts
    const now = timers.monotonic()
    if (fetchMissing === undefined || (this.#missingSince !== undefined && now - this.#missingSince < retryMissing))
      return
    this.#missingSince = now
    fetchMissing(this, wanted).catch((error: unknown) =>
      log.warn({ err: error, version: wanted.version }, 'the yt-dlp another process took could not be fetched'),
    )
  }
}

/** What is installed; looked for each time, because it may be installed while we run. */
const systemYtDlp = () => findProgram('yt-dlp')
