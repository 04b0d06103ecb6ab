import { existsSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Timers } from '@hearth/runtime'
import { hashFile } from '../artifacts/hash-file.ts'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import type { CookieJars } from '../cookies/jars.ts'
import type { JobRow, Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import type { Settings } from '../settings/schema.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import type { FileFacts } from '../tools/file-facts.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import type { MediaFacts } from '../tools/yt-dlp-output.ts'
import { createProgressReporter, jobEvent } from './job-events.ts'
import { factsValues } from './job-view.ts'
import { noteOnJob, type JobValues } from './store.ts'
import type { WorkFolders } from './work-folders.ts'
import { reserveForecast, watchRoom, type Room } from './room.ts'
import { finishWithTwin, outputForm } from './twin.ts'
import type { JobHandle, RunJob } from './workers.ts'

/** Converts a fetched file to what the job requests. Returns the fetched file when it already is that. */
export type ConvertFetched = (fetched: FetchedFile, handle: JobHandle) => Promise<FetchedFile>

/** Analyses an audio file and finishes its job, whether or not the analysis succeeds. */
export type AnalyseJob = (job: JobRow, fetched: FetchedFile, handle: JobHandle) => Promise<void>

export interface RunDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly timers: Timers
  readonly settings: () => Settings
  readonly ytDlp: YtDlp
  readonly ffmpeg: Ffmpeg
  readonly jars: CookieJars
  readonly artifacts: ArtifactLedger
  readonly room: Room
  /** Resolves to true while the disks have room for downloads. */
  readonly haveSpace: () => Promise<boolean>
  readonly folders: WorkFolders
  readonly convertVideo: ConvertFetched
  readonly convertAudio: ConvertFetched
  readonly analyse: AnalyseJob
  readonly hosts: PlatformHosts
  /** Maximum number of connections of one download. */
  readonly fragments: () => number
}

const gigabyte = 1024 ** 3

/** Creates the run of a job: download, conversion, storing, analysis. */
export function createRunJob(dependencies: RunDependencies): RunJob {
  return async (job, handle) => {
    const folder = await dependencies.folders.open(job.id, job.attempt)
    let hasFile = false
    try {
      if (await finishWithTwin(dependencies, job, handle)) return
      if (!(await dependencies.haveSpace())) throw new MediaFailure('disk_full')
      await rm(join(folder, 'sound'), { force: true })
      const fetched = await download(dependencies, job, { handle, folder })
      const convert = job.type === 'video' ? dependencies.convertVideo : dependencies.convertAudio
      const finished = await convert(fetched, handle)
      handle.signal.throwIfAborted()
      // The store takes the file away; a second name of it stays for the analysis.
      const kept = join(folder, 'sound')
      if (job.type === 'audio') await link(finished.file, kept)
      const values = await store(dependencies, job, { ...finished, signal: handle.signal })
      const finished_at = dependencies.timers.now()
      if (job.type === 'audio') {
        // The file is available from here on, whatever the analysis finds.
        const begun = { ...values, finished_at, last_used_at: finished_at, message: 'Analysing the sound' }
        const analysing = await handle.advance('analysis-begun', begun)
        hasFile = true
        await dependencies.analyse(analysing, { ...finished, file: kept }, handle)
      } else {
        const end = { finished_at, last_used_at: finished_at, lease_until: null, message: 'Finished' }
        await handle.advance('finished', { ...values, ...end })
      }
    } finally {
      // The next attempt continues from the folder of a worker that stops before there is a file; any other folder is of no more use.
      if (hasFile || handle.signal.reason !== 'stopping') await dependencies.folders.remove(job.id, job.attempt)
    }
  }
}

/** A media file in its folder, with the row of its job. */
export interface FetchedFile {
  readonly job: JobRow
  readonly file: string
  readonly facts: FileFacts
  readonly thumbnail: string | undefined
}

async function download(
  dependencies: RunDependencies,
  job: JobRow,
  { handle, folder }: { handle: JobHandle; folder: string },
): Promise<FetchedFile> {
  const settings = dependencies.settings()
  const downloading = await handle.advance('download-begun', { message: 'Downloading' })
  const report = createProgressReporter(dependencies.bus, () => dependencies.timers.monotonic())
  const present = dependencies.folders.infoFile(job.id)
  const infoFile = existsSync(present) ? present : undefined
  const isCompatible = settings.download_compatible_output || settings.video_watermark
  const { type, quality } = job
  await reserveForecast(dependencies.room, job, { infoFile, form: { type, quality, isCompatible } })
  const room = watchRoom(dependencies.room, job, handle.signal)
  const noted: Promise<JobRow | undefined>[] = []
  const work = dependencies.jars.withPrivateCopy(job.platform, folder, (cookies) =>
    dependencies.ytDlp.download({
      url: job.url,
      infoFile,
      extractors: dependencies.hosts.extractorsFor(job.platform, job.url),
      cookies,
      type,
      quality,
      isCompatible,
      fragments: dependencies.fragments(),
      directory: folder,
      timeoutMs: settings.download_timeout_minutes * 60_000,
      maxBytes: settings.download_max_filesize_gib * gigabyte,
      signal: room.signal,
      onProgress({ percent, etaSeconds }) {
        handle.admitted()
        report(downloading, percent, etaSeconds)
      },
      onFacts(facts) {
        room.note(facts)
        noted.push(noteFacts(dependencies, downloading, facts))
      },
    }),
  )
  const result = await room.settle(work)
  handle.admitted()
  const latest = (await Promise.all(noted)).findLast((row) => row !== undefined) ?? downloading
  const facts = await dependencies.ffmpeg.probe(result.file, handle.signal)
  if (job.type === 'audio' && facts.audio === undefined) throw new MediaFailure('unsupported', 'it has no sound')
  if (job.type === 'video' && facts.video === undefined) throw new MediaFailure('unsupported', 'it has no picture')
  return { job: latest, ...result, facts }
}

/** Stores what a download finds out about the media, and shows it: a probe that took too long did not. */
async function noteFacts(dependencies: RunDependencies, job: JobRow, facts: MediaFacts): Promise<JobRow | undefined> {
  // What the probe found is as good; a list knows the title alone.
  if (job.video_title !== null && job.video_meta_hover !== null) return undefined
  const { db, bus, timers } = dependencies
  const values = factsValues(facts)
  const row = await noteOnJob(db, { id: job.id, attempt: job.attempt, values }).catch(() => undefined)
  if (row !== undefined) bus.publish(jobEvent(job, row, timers.now()))
  return row
}

/** Stores the file and its picture, and returns the values of the job's row. */
async function store(
  dependencies: RunDependencies,
  job: JobRow,
  { file, facts, thumbnail, signal }: FetchedFile & { readonly signal: AbortSignal },
): Promise<JobValues> {
  const name = basename(file)
  const hash = await hashFile(file, signal)
  const isStored = await dependencies.artifacts.hasContent(name, { bytes: facts.sizeBytes, hash })
  if (!isStored) await dependencies.room.reserve(job, facts.sizeBytes, true)
  await dependencies.artifacts.putOnce(job.id, name, { file, hash })
  if (thumbnail !== undefined) await dependencies.artifacts.put(job.id, 'thumbnail.jpg', thumbnail)
  return {
    artifact: name,
    filesize_bytes: facts.sizeBytes,
    duration_ms: facts.durationMs,
    codec: (job.type === 'audio' ? facts.audio : facts.video)?.codec ?? null,
    bitrate_kbps: facts.bitrateKbps,
    output_form: outputForm(job.type, dependencies.settings()),
  }
}
