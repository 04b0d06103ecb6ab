import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import type { Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import { isTerminal } from '../jobs/job-machine.ts'
import type { SettingsStore } from '../settings/settings.ts'
import { findProgram } from '../tools/find-program.ts'
import { createReleaseWeb, type ReleaseWeb } from './release.ts'
import { firstEnds } from './store.ts'
import { encodePin, parsePin, type Fetched, type ToolPin } from './tool-pin.ts'
import { VersionFolder } from './version-folder.ts'

/** Settings of `ChosenYtDlp`, and what it reads and writes. */
export interface ChosenYtDlpDependencies {
  readonly config: Pick<Config, 'dataDirectory' | 'ytDlpPath' | 'updatesUrl' | 'outboundAllow'>
  readonly db: Kysely<Tables>
  readonly settings: Pick<SettingsStore, 'internal' | 'write' | 'exchange' | 'refresh'>
  readonly timers: Clock
  readonly log: Log
  /** Publishes the ends of jobs; without it no trial is judged. */
  readonly bus?: MediaBus
  /** Fetches a version that another process took. */
  readonly fetchMissing?: (chosen: ChosenYtDlp, wanted: Fetched) => Promise<void>
}

/** Number of jobs in a row that fail for an outdated yt-dlp after which a new version is rolled back. */
const trialJobs = 3
const retryMissing = 3_600_000

/** The yt-dlp in use: `YTDLP_PATH`, otherwise the version that was fetched and chosen, otherwise the one in `PATH`. */
export class ChosenYtDlp {
  readonly versions: VersionFolder
  readonly web: ReleaseWeb
  /** True if the operator named a program, so that no version is chosen. */
  readonly isFixed: boolean
  readonly #dependencies: ChosenYtDlpDependencies
  readonly #unsubscribe: () => void
  #missingSince: number | undefined

  constructor(dependencies: ChosenYtDlpDependencies) {
    const { dataDirectory, updatesUrl, outboundAllow, ytDlpPath } = dependencies.config
    this.#dependencies = dependencies
    this.isFixed = ytDlpPath !== undefined
    this.versions = new VersionFolder(dataDirectory)
    this.web = createReleaseWeb(updatesUrl, outboundAllow)
    const watch = dependencies.bus?.subscribe((event) => {
      if ('id' in event && isTerminal(event.status) && this.#known()?.isOnTrial === true)
        this.#judge().catch((error: unknown) =>
          dependencies.log.warn({ err: error }, 'the new yt-dlp could not be judged'),
        )
    })
    this.#unsubscribe = watch ?? (() => undefined)
  }

  /** Path of the program for the next run. What another process chose meanwhile counts. */
  async program(): Promise<string> {
    const { ytDlpPath } = this.#dependencies.config
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
    await this.#dependencies.settings.refresh().catch(() => undefined)
    return this.#known()
  }

  /** Uses a version from now on; the one before is kept. Its first jobs are watched. */
  async take(fetched: Fetched): Promise<void> {
    const before = (await this.pin())?.current ?? (systemYtDlp() === undefined ? undefined : 'system')
    const since = this.#dependencies.timers.now()
    await this.#write({
      current: fetched,
      since,
      isOnTrial: true,
      ...(before === undefined ? {} : { previous: before }),
    })
    const kept = [fetched, before].flatMap((one) => (typeof one === 'object' ? [one.version] : []))
    await this.versions.keepOnly(kept)
  }

  /** Rolls back to the previous version; returns its name, or undefined when there is none. */
  async goBack(): Promise<string | undefined> {
    const back = before(await this.pin())
    if (back === undefined) return undefined
    await this.#write(this.#backTo(back))
    return nameOf(back)
  }

  close(): void {
    this.#unsubscribe()
  }

  /**
   * Checks the first jobs of a new version: one success, or failure of another kind, confirms it.
   * A verdict counts for the version it is about: nothing is written when another was chosen meanwhile.
   */
  async #judge(): Promise<void> {
    const { settings, db, log } = this.#dependencies
    await settings.refresh()
    const judged = settings.internal('pinned_tools')
    const pin = parsePin(judged)
    if (judged === undefined || pin?.isOnTrial !== true) return
    const ends = await firstEnds(db, { since: pin.since, limit: trialJobs })
    if (ends.some((code) => code !== 'tool_outdated')) {
      await settings.exchange('pinned_tools', { from: judged, to: encodePin({ ...pin, isOnTrial: false }) })
      return
    }
    if (ends.length < trialJobs) return
    const back = before(pin)
    if (back === undefined)
      return log.warn({ from: pin.current }, 'the new yt-dlp reads nothing, and there is no other')
    if (await settings.exchange('pinned_tools', { from: judged, to: encodePin(this.#backTo(back)) }))
      log.warn({ from: pin.current, back: nameOf(back) }, 'the new yt-dlp reads nothing; the one before is used again')
  }

  #backTo(previous: Chosen): ToolPin {
    return { current: previous, since: this.#dependencies.timers.now(), isOnTrial: false }
  }

  #known(): ToolPin | undefined {
    return parsePin(this.#dependencies.settings.internal('pinned_tools'))
  }

  #write(pin: ToolPin): Promise<void> {
    return this.#dependencies.settings.write({}, { pinned_tools: encodePin(pin) })
  }

  /** Runs in the background, and not again for an hour after a failure; meanwhile the system's version is used. */
  #fetchMissing(wanted: Fetched): void {
    const { fetchMissing, timers, log } = this.#dependencies
    const now = timers.monotonic()
    if (fetchMissing === undefined || (this.#missingSince !== undefined && now - this.#missingSince < retryMissing))
      return
    this.#missingSince = now
    fetchMissing(this, wanted).catch((error: unknown) =>
      log.warn({ err: error, version: wanted.version }, 'the yt-dlp another process took could not be fetched'),
    )
  }
}

/** The installed program; looked up each time, because it may be installed while the service runs. */
const systemYtDlp = () => findProgram('yt-dlp')

type Chosen = ToolPin['current']

/** The choice to go back to; undefined if there is none, or the system has none any more. */
function before(pin: ToolPin | undefined): Chosen | undefined {
  return pin?.previous === 'system' && systemYtDlp() === undefined ? undefined : pin?.previous
}

const nameOf = (chosen: Chosen) => (chosen === 'system' ? 'that of the system' : chosen.version)
