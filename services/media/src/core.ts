import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import {
  createGuardedFetch,
  createOpenGuarded,
  createOutboundPolicy,
  type GuardedFetch,
  type OpenGuarded,
  type OutboundPolicy,
} from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import { createAnalyser } from './analysis/analyse-audio.ts'
import { analysisRate } from './analysis/decode-audio.ts'
import { createAnalyseJob } from './analysis/analyse-job.ts'
import type { ArtifactStore } from './artifacts/artifact-store.ts'
import { openArtifacts } from './artifacts/open-artifacts.ts'
import type { Config } from './config.ts'
import { createConvertAudio } from './conversion/convert-audio.ts'
import { createConvertVideo } from './conversion/convert-video.ts'
import { createSlots, type Slots } from './conversion/slots.ts'
import { createCookieJars, type CookieJars } from './cookies/jars.ts'
import type { Tables } from './database/tables.ts'
import type { MediaBus } from './events/schema.ts'
import { effectiveProcessors, sizesFor } from './host/host-size.ts'
import { createRunJob } from './jobs/run-job.ts'
import { createWorkFolders, type WorkFolders } from './jobs/work-folders.ts'
import { createWorkers, type Workers } from './jobs/workers.ts'
import { createPlatformHosts, type PlatformHosts } from './platforms/platform-hosts.ts'
import { createExtractorChoice } from './platforms/read-url.ts'
import type { Platform } from './platforms/schema.ts'
import type { Queue } from './queue/queue.ts'
import { openSettings, type SettingsKeeper } from './settings/settings.ts'
import { openTools } from './open-tools.ts'
import type { Toolbox } from './tools/toolbox.ts'
import type { ChosenYtDlp } from './updates/chosen-yt-dlp.ts'
import { openWatermark, type Watermark } from './settings/watermark.ts'

/** What the parts of the service are built from. */
export interface CoreParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly bus: MediaBus
  readonly queue: Queue
}

/** What a process that works on jobs has, whether or not it answers requests. */
export interface Core extends CoreParts {
  readonly settings: SettingsKeeper
  /** What may be reached, and the two ways to do so. */
  readonly policy: OutboundPolicy
  readonly fetch: GuardedFetch
  readonly open: OpenGuarded
  readonly tools: Toolbox
  readonly chosenYtDlp: ChosenYtDlp
  readonly artifacts: ArtifactStore
  readonly jars: CookieJars
  readonly folders: WorkFolders
  readonly watermark: Watermark
  /** Which hosts are a platform's. */
  readonly hosts: PlatformHosts
  /** How much this host does at a time. */
  readonly sizes: ReturnType<typeof sizesFor>
  /** Places for work that needs the processor. */
  readonly heavy: Slots
  readonly workers: Workers
  readonly extractorsFor: (platform: Platform, url: string) => readonly string[]
  /** Folder for files on their way. */
  readonly scratch: string
  /** How many jobs this process is to work on at a time. */
  readonly workerCount: () => number
  close(): Promise<void>
}

/** Builds everything but the way in. Nothing is worked on until the workers are started. */
export async function createCore(parts: CoreParts): Promise<Core> {
  const { config, database, log, bus } = parts
  const shared = await openShared(parts)
  const { settings, artifacts, sizes } = shared
  const unsubscribe = followSettings(settings, bus, log)
  const { run, close: closeRun } = createRun(shared)
  const workers = createWorkers({
    ...parts,
    db: database.query,
    run,
    discard: (id) => artifacts.removeJob(id),
    lease: config.leaseSeconds * 1000,
  })
  return {
    ...shared,
    workers,
    workerCount: () => config.workers ?? (settings.current().download_worker_count || sizes.workers),
    async close() {
      unsubscribe()
      shared.chosenYtDlp.close()
      await workers.close()
      await closeRun()
      shared.tools.close()
      await artifacts.close()
    },
  }
}

/** What works and what answers have in common. */
async function openShared(parts: CoreParts): Promise<Shared> {
  const { config, database, timers, sealer } = parts
  const db = database.query
  const settings = await openSettings(db)
  const policy = createOutboundPolicy(config.outboundAllow)
  const hosts = createPlatformHosts(config.extraHosts)
  const sizes = sizesFor(effectiveProcessors())
  return {
    ...parts,
    settings,
    policy,
    hosts,
    sizes,
    fetch: createGuardedFetch(policy),
    open: createOpenGuarded(policy),
    ...openTools({ ...parts, db, settings, policy }),
    artifacts: await openArtifacts(config.artifacts, { dataDirectory: config.dataDirectory }),
    jars: createCookieJars({ db, sealer, clock: timers }),
    folders: createWorkFolders(join(config.dataDirectory, 'work')),
    watermark: openWatermark({ db, folder: join(config.dataDirectory, 'logo') }),
    heavy: createSlots(sizes.heavy),
    extractorsFor: createExtractorChoice(hosts),
    scratch: openScratch(config.dataDirectory),
  }
}

function openScratch(dataDirectory: string): string {
  const scratch = join(dataDirectory, 'scratch')
  // What an earlier life was making there is of no more use.
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  return scratch
}

/** Another process may have changed them, also while its events did not reach this one. */
function followSettings(settings: SettingsKeeper, bus: MediaBus, log: Log): () => void {
  const refresh = () =>
    void settings.refresh().catch((error: unknown) => log.warn({ err: error }, 'the settings could not be read again'))
  return bus.subscribe((event) => {
    if ('type' in event && event.type === 'settings_changed') refresh()
  }, refresh)
}

type Shared = Omit<Core, 'workers' | 'workerCount' | 'close'>

function createRun(core: Shared) {
  const { database, bus, timers, log, tools, sizes } = core
  const settings = () => core.settings.current()
  const analyser = createAnalyser({
    slots: sizes.heavy,
    decode: (file, stretch) => tools.ffmpeg.decode(file, { ...stretch, sampleRate: analysisRate }),
  })
  const db = database.query
  const monotonic = () => timers.monotonic()
  const encoding = { ffmpeg: tools.ffmpeg, slots: core.heavy, bus, monotonic, settings }
  const run = createRunJob({
    db,
    bus,
    timers,
    settings,
    ytDlp: tools.ytDlp,
    ffmpeg: tools.ffmpeg,
    jars: core.jars,
    artifacts: core.artifacts,
    folders: core.folders,
    extractorsFor: core.extractorsFor,
    fragments: () => settings().download_concurrent_fragments || sizes.fragments,
    convertVideo: createConvertVideo({ ...encoding, withWatermark: (work) => core.watermark.withPicture(work) }),
    convertAudio: createConvertAudio(encoding),
    analyse: createAnalyseJob({ analyser, settings, timers, log }),
  })
  return { run, close: () => analyser.close() }
}
