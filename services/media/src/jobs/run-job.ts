import { existsSync } from 'node:fs'
import { link, rm, statfs } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Timers } from '@hearth/runtime'
import type { AnalyseJob } from '../analysis/analyse-job.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { ConvertFetched } from '../conversion/convert-video.ts'
import type { CookieJars } from '../cookies/jars.ts'
import type { JobRow, Tables } from '../database/tables.ts'
import type { MediaBus } from '../events/schema.ts'
import type { Platform } from '../platforms/schema.ts'
import type { Settings } from '../settings/schema.ts'
import type { FileFacts, Ffmpeg } from '../tools/ffmpeg.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import type { MediaFacts } from '../tools/yt-dlp-output.ts'
import { createProgressTeller } from './job-events.ts'
import { hoverText } from './job-view.ts'
import { noteOnJob, type JobValues } from './store.ts'
import type { WorkFolders } from './work-folders.ts'
import type { JobHand, RunJob } from './workers.ts'

/** Everything a job is made with. */
export interface RunParts {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly timers: Timers
  readonly settings: () => Settings
  readonly ytDlp: YtDlp
  readonly ffmpeg: Ffmpeg
  readonly jars: CookieJars
  readonly artifacts: ArtifactStore
  readonly folders: WorkFolders
  readonly convertVideo: ConvertFetched
  readonly convertAudio: ConvertFetched
  readonly analyse: AnalyseJob
  readonly extractorsFor: (platform: Platform, url: string) => readonly string[]
  /** Connections one download may have at a time. */
  readonly fragments: () => number
}

const gigabyte = 1024 ** 3

/** Space that is always left on the disk, bytes. */
export const diskReserve = gigabyte / 4

/** Makes what carries a job from its address to its file: download, conversion, storing, analysis. */
export function createRunJob(parts: RunParts): RunJob {
  return async (job, hand) => {
    const folder = await parts.folders.open(job.id, job.attempt)
    try {
      await checkSpace(folder)
      await rm(join(folder, 'sound'), { force: true })
      const fetched = await download(parts, job, { hand, folder })
      const convert = job.type === 'video' ? parts.convertVideo : parts.convertAudio
      const finished = await convert(fetched, hand)
      hand.signal.throwIfAborted()
      // The store takes the file away; a second name of it stays for the analysis.
      const kept = join(folder, 'sound')
      if (job.type === 'audio') await link(finished.file, kept)
      const values = await store(parts, job, finished)
      if (job.type === 'audio')
        await parts.analyse(await begunAnalysis(parts, { hand, values }), { ...finished, file: kept }, hand)
      else await hand.advance('finished', finishedValues(parts, { ...values, message: 'Finished' }))
    } finally {
      // What a worker gives back is gone on from; anything else is of no more use.
      if (hand.signal.reason !== 'stopping') await parts.folders.remove(job.id, job.attempt)
    }
  }
}

/** A media file in its folder, with the job as it then stands. */
export interface FetchedFile {
  readonly job: JobRow
  readonly file: string
  readonly facts: FileFacts
  readonly thumbnail: string | undefined
}

async function download(
  parts: RunParts,
  job: JobRow,
  { hand, folder }: { hand: JobHand; folder: string },
): Promise<FetchedFile> {
  const settings = parts.settings()
  const downloading = await hand.advance('download-begun', { message: 'Downloading' })
  const tell = createProgressTeller(parts.bus, () => parts.timers.monotonic())
  const infoFile = parts.folders.infoFile(job.id)
  const result = await parts.jars.withPrivateCopy(job.platform, folder, (cookies) =>
    parts.ytDlp.download({
      url: job.url,
      infoFile: existsSync(infoFile) ? infoFile : undefined,
      extractors: parts.extractorsFor(job.platform, job.url),
      cookies,
      type: job.type,
      quality: job.quality,
      isCompatible: settings.download_compatible_output || settings.video_watermark,
      fragments: parts.fragments(),
      directory: folder,
      timeoutMs: settings.download_timeout_minutes * 60_000,
      largestBytes: settings.download_max_filesize_gib * gigabyte,
      signal: hand.signal,
      onProgress: ({ percent, etaSeconds }) => tell(downloading, percent, etaSeconds),
      onFacts: (facts) => void noteFacts(parts, job, facts),
    }),
  )
  const facts = await parts.ffmpeg.probe(result.file, hand.signal)
  if (job.type === 'audio' && facts.audio === undefined) throw new MediaFailure('unsupported', 'it has no sound')
  if (job.type === 'video' && facts.video === undefined) throw new MediaFailure('unsupported', 'it has no picture')
  return { job: downloading, ...result, facts }
}

/** Returns the platform's facts about the media, as the job stores them. */
export function factsValues(facts: MediaFacts): JobValues {
  return {
    video_title: facts.title ?? null,
    video_meta_hover: hoverText(facts),
    duration_ms: facts.duration == null ? null : Math.round(facts.duration * 1000),
  }
}

async function noteFacts(parts: RunParts, job: JobRow, facts: MediaFacts): Promise<void> {
  // A title that is known already may have been found by the probe, and is as good.
  if (job.video_title !== null) return
  await noteOnJob(parts.db, { id: job.id, attempt: job.attempt, values: factsValues(facts) }).catch(() => undefined)
}

/** Puts the file and its picture where they are kept, and says what the job should know of them. */
async function store(parts: RunParts, job: JobRow, { file, facts, thumbnail }: FetchedFile): Promise<JobValues> {
  const name = basename(file)
  await parts.artifacts.put(job.id, name, file)
  if (thumbnail !== undefined) await parts.artifacts.put(job.id, 'thumbnail.jpg', thumbnail)
  return {
    artifact: name,
    filesize_bytes: facts.sizeBytes,
    duration_ms: facts.durationMs,
    codec: (job.type === 'audio' ? facts.audio : facts.video)?.codec ?? null,
    bitrate_kbps: facts.bitrateKbps,
  }
}

const finishedValues = ({ timers }: RunParts, values: JobValues): JobValues => ({
  ...values,
  finished_at: timers.now(),
  lease_until: null,
})

/** From here on the file can be had, whatever the analysis comes to. */
async function begunAnalysis(
  { timers }: RunParts,
  { hand, values }: { hand: JobHand; values: JobValues },
): Promise<JobRow> {
  return hand.advance('analysis-begun', { ...values, finished_at: timers.now(), message: 'Finding out the tempo' })
}

async function checkSpace(folder: string): Promise<void> {
  if ((await freeSpace(folder)) < diskReserve) throw new MediaFailure('disk_full')
}

/** Bytes the service may still write in a folder's file system. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
