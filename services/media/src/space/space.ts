import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import { changeLedger } from '../artifacts/ledger-store.ts'
import type { StoragePresence } from '../artifacts/presence.ts'
import type { MediaBus } from '../events.ts'
import type { ExportRoom, ExportSize } from '../exports/export-room.ts'
import { writeRunning } from '../exports/store.ts'
import type { ExportRow } from '../exports/tables.ts'
import { jobTimestamp } from '../jobs/job-view.ts'
import { lockJobs } from '../jobs/lock-store.ts'
import type { Room } from '../jobs/room.ts'
import type { WorkFolders } from '../jobs/work-folders.ts'
import { Problem } from '../problems.ts'
import type { Settings, StorageRule } from '../settings/schema.ts'
import { lockLinks } from '../shares/store.ts'
import type { JobRow, Tables } from '../tables.ts'
import { estimateBytes } from '../tools/estimate-size.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { MediaInfo } from '../tools/media-info.ts'
import { assessRoom, planView, readUsage, type Assessment } from './assess.ts'
import { bytesText } from './bytes-text.ts'
import type { DiskAssessment, Disks } from './disks.ts'
import { evict, PlanOutdated, type Evicted } from './evict.ts'
import type { EvictionList, StorageForecast, StoragePlan, StorageUsage } from './schema.ts'
import { deleteEvictions, listEvictions, reserveBytes } from './store.ts'

export interface SpaceDependencies {
  readonly database: Database<Tables>
  readonly artifacts: ArtifactLedger
  readonly disks: Pick<Disks, 'free' | 'assess'>
  readonly presence: Pick<StoragePresence, 'isMissing' | 'isGone'>
  readonly bus: MediaBus
  readonly timers: Timers
  readonly log: Log
  readonly settings: () => Settings
  readonly folders: Pick<WorkFolders, 'bytes'>
}

/** Interval at which the budget is looked at, milliseconds, and age at which the log forgets. */
const interval = 60_000
const loggedFor = 180 * 86_400_000
/** Attempts at a plan that changes meanwhile, or at parts of a long one. */
const maxRounds = 50

/** The budget of the stored files: what they take, what fits, and what goes to make room. */
export class Space implements Room, ExportRoom {
  readonly #dependencies: SpaceDependencies
  readonly #stop: (() => void)[] = []
  #enforcing: Promise<void> | undefined

  constructor(dependencies: SpaceDependencies) {
    this.#dependencies = dependencies
  }

  /** Begins to keep to the budget; `onExhausted` is called while that is not possible. */
  start(onExhausted: () => void): void {
    const { bus, log } = this.#dependencies
    const round = () => {
      this.#enforcing ??= this.enforce()
        .then((isKept) => (isKept ? undefined : onExhausted()))
        .catch((error: unknown) => log.warn({ err: error }, 'the storage budget could not be kept'))
        .finally(() => (this.#enforcing = undefined))
    }
    const timer = setInterval(round, interval).unref()
    const unsubscribe = bus.subscribe((event) => {
      if ('type' in event && event.type === 'settings_changed') round()
    })
    this.#stop.push(unsubscribe, () => clearInterval(timer))
    round()
  }

  async close(): Promise<void> {
    for (const stop of this.#stop.splice(0)) stop()
    await this.#enforcing
  }

  async usage(): Promise<StorageUsage> {
    const { database, settings, folders, disks, presence } = this.#dependencies
    const known = await readUsage(database.query, { settings: settings(), now: this.#now() })
    const { work, files = null } = await disks.free()
    return {
      ...known,
      work_bytes: await folders.bytes(),
      disk_free_bytes: work,
      files_disk_free_bytes: files,
      is_missing: presence.isMissing,
    }
  }

  /** What would go for another budget or rule; nothing does. */
  async preview(wanted: { budget_bytes?: number | undefined; rule?: StorageRule | undefined }): Promise<StoragePlan> {
    const { storage_budget_bytes, storage_rule } = this.#dependencies.settings()
    const budget = wanted.budget_bytes ?? storage_budget_bytes
    const rule = wanted.rule ?? storage_rule
    return planView(await assessRoom(this.#db, { budget, rule, now: this.#now() }))
  }

  /** What a download would take, and what would go for it. */
  async forecast(info: MediaInfo | undefined, wanted: Pick<JobRow, 'type' | 'quality'>): Promise<StorageForecast> {
    const { settings } = this.#dependencies
    const { storage_budget_bytes: budget } = settings()
    const bytes = info === undefined ? undefined : this.#estimate(info, wanted)
    const found = await this.#assess(bytes ?? 0)
    const { used, reserved, plan, diskRoom } = found
    const free = budget === 0 ? diskRoom : Math.min(diskRoom, budget - used - reserved)
    return {
      bytes: bytes ?? null,
      budget_bytes: budget,
      free_bytes: Math.max(0, free),
      fits: bytes === undefined || found.fits,
      copies_leaving: plan.copies.length,
      downloads_leaving: plan.jobs.length,
    }
  }

  /** Throws a problem for media that cannot fit, as far as its size is known. */
  async check(info: MediaInfo, wanted: Pick<JobRow, 'type' | 'quality'>): Promise<void> {
    const bytes = this.#estimate(info, wanted)
    if (bytes === undefined) return
    const found = await this.#assess(bytes)
    if (!found.fits) throw noRoom(this.#refusal(bytes, found))
  }

  async checkExport({ stored, work }: ExportSize): Promise<void> {
    await this.checkStorage()
    const found = await this.#assess(stored, { diskBytes: stored + work })
    if (!found.fits) throw noRoom(this.#refusal(stored, found))
  }

  async reserve(job: JobRow, bytes: number, isWritten: boolean): Promise<void> {
    const holder: Holder = {
      id: job.id,
      title: job.video_title ?? job.url,
      async keep(trx) {
        await reserveBytes(trx, job, bytes)
      },
    }
    await this.#reserve(holder, { bytes, diskBytes: isWritten ? 0 : bytes })
  }

  async reserveExport(row: Pick<ExportRow, 'id' | 'attempt'>, size: ExportSize & { title: string }): Promise<void> {
    const { stored, work, title } = size
    const holder: Holder = {
      id: row.id,
      title: `an export of ${title}`,
      async keep(trx) {
        await writeRunning(trx, row, { reserved_bytes: stored })
      },
    }
    await this.#reserve(holder, { bytes: stored, diskBytes: stored + work })
  }

  async #reserve(holder: Holder, { bytes, diskBytes }: { bytes: number; diskBytes: number }): Promise<void> {
    if (await this.#dependencies.presence.isGone()) throw new MediaFailure('storage_missing')
    const { shortage: diskShortage, isFull } = await this.#assessDisks(bytes, diskBytes)
    if (isFull) throw new MediaFailure('disk_full')
    for (let round = 1; ; round += 1) {
      const outcome = await this.#makeRoom({ holder, bytes, diskShortage })
      if (outcome === 'enough') return
      if (outcome === 'more' && round < maxRounds) continue
      const found = await this.#assess(bytes, { besides: holder.id, diskBytes })
      throw new MediaFailure('no_room', this.#refusal(bytes, found))
    }
  }

  /** Throws a problem while the disk of the storage is missing. */
  async checkStorage(): Promise<void> {
    if (await this.#dependencies.presence.isGone()) throw storageMissing()
  }

  /** Makes room where more is stored than the budget allows. Resolves to false when it cannot be kept to. */
  async enforce(): Promise<boolean> {
    const { settings, presence } = this.#dependencies
    // Deleting what is not there would make no room, and its downloads would lose what comes back.
    if (settings().storage_budget_bytes === 0 || presence.isMissing) return true
    for (let round = 1; round <= maxRounds; round += 1) {
      const outcome = await this.#makeRoom({ bytes: 0, diskShortage: 0 })
      if (outcome !== 'more') return outcome === 'enough'
    }
    // More may go: the next interval goes on.
    return true
  }

  /** What went to make room, newest first. */
  async evictions(limit: number): Promise<EvictionList> {
    const rows = await listEvictions(this.#db, limit)
    return rows.map(({ evicted_at: at, ...row }) => Object.assign(row, { evicted_at: jobTimestamp(at) }))
  }

  /** Forgets what went long ago, with a settled clock. */
  async tidy(isSettled: boolean): Promise<void> {
    if (isSettled) await deleteEvictions(this.#db, this.#now() - loggedFor)
  }

  /** Makes room in one transaction; `more` when a next one may make more. Without a holder whatever may go goes. */
  async #makeRoom(wanted: {
    holder?: Holder
    bytes: number
    diskShortage: number
  }): Promise<'enough' | 'none' | 'more'> {
    const { database, artifacts, bus, log, settings } = this.#dependencies
    const { holder, bytes, diskShortage } = wanted
    const { storage_budget_bytes: budget, storage_rule: rule } = settings()
    const besides = holder?.id ?? ''
    const question = { budget, rule, now: this.#now(), bytes, besides, diskShortage }
    const reason = holder === undefined ? 'more was stored than the budget allows' : `room for ${holder.title}`
    const work = changeLedger(database, async (trx) => {
      await lockLinks(database, trx)
      // Before those whose files go, which are locked without waiting.
      if (holder !== undefined) await lockJobs(trx, [holder.id])
      const { shortage, plan, freeable } = await assessRoom(trx, question)
      const isEnough = plan.freed >= shortage
      // A part of what is needed goes only if the rest can follow.
      if (holder !== undefined && freeable < shortage) return { outcome: 'none' as const, evicted: nothingGone }
      const evicted = await evict(trx, plan, { artifacts, now: question.now, reason: reason.slice(0, 300) })
      if (isEnough) await holder?.keep(trx)
      const unfinished = plan.isComplete ? ('none' as const) : ('more' as const)
      return { outcome: isEnough ? ('enough' as const) : unfinished, evicted }
    })
    const { outcome, evicted } = await work.catch(async (error: unknown) => {
      if (!(error instanceof PlanOutdated)) throw error
      // One after another, and holding nothing meanwhile.
      for (const id of error.busy) await lockJobs(database.query, [id])
      return { outcome: 'more' as const, evicted: nothingGone }
    })
    for (const event of evicted.events) bus.publish(event)
    await artifacts
      .clear(evicted.places)
      .catch((error: unknown) => log.warn({ err: error }, 'files that went are still stored; upkeep deletes them'))
    return outcome
  }

  /** `diskBytes` are written to the disk of the work folders on the way, those that are stored included. */
  async #assess(
    bytes: number,
    { besides = '', diskBytes = bytes }: { besides?: string; diskBytes?: number } = {},
  ): Promise<Assessment & { fits: boolean; diskRoom: number }> {
    const { storage_budget_bytes: budget, storage_rule: rule } = this.#dependencies.settings()
    const { room: diskRoom, shortage: diskShortage, isFull } = await this.#assessDisks(bytes, diskBytes)
    const found = await assessRoom(this.#db, { budget, rule, now: this.#now(), bytes, besides, diskShortage })
    const fits = found.freeable >= found.shortage && !isFull
    return { ...found, fits, diskRoom }
  }

  /** What does not fit, and what to do. */
  #refusal(bytes: number, { used, reserved, freeable, diskRoom }: Assessment & { diskRoom: number }): string {
    const { storage_budget_bytes: budget } = this.#dependencies.settings()
    const room = budget === 0 ? diskRoom : Math.min(diskRoom, budget - used - reserved)
    const most = bytesText(Math.max(0, room + freeable))
    if (budget === 0) return `it takes about ${bytesText(bytes)}, and the disk has room for ${most}`
    return (
      `it takes about ${bytesText(bytes)}, and at most ${most} can be made free of ${bytesText(budget)}. ` +
      'Raise the budget under Settings, Storage, or unpin or delete downloads.'
    )
  }

  #estimate(info: MediaInfo, { type, quality }: Pick<JobRow, 'type' | 'quality'>): number | undefined {
    const { download_compatible_output, video_watermark } = this.#dependencies.settings()
    return estimateBytes(info, { type, quality, isCompatible: download_compatible_output || video_watermark })
  }

  #assessDisks(bytes: number, diskBytes: number): Promise<DiskAssessment> {
    const { disks, settings } = this.#dependencies
    return disks.assess({ bytes, diskBytes, mayGo: settings().storage_budget_bytes !== 0 })
  }

  #now(): number {
    return this.#dependencies.timers.now()
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** What room is kept for. */
interface Holder {
  /** Id of the job or of the export. */
  readonly id: string
  readonly title: string
  /** Writes how much is kept, unless it does not run any more. */
  keep(trx: Kysely<Tables>): Promise<void>
}

const noRoom = (detail: string): Problem =>
  new Problem(503, `There is no room for this: ${detail}`, { more: { error: 'no_room' } })

const storageMissing = (): Problem =>
  new Problem(503, new MediaFailure('storage_missing').message, { more: { error: 'storage_missing' } })

const nothingGone: Evicted = { places: [], events: [] }
