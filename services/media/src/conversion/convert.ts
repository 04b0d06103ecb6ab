import type { ConvertFetched, FetchedFile } from '../jobs/run-job.ts'
import type { JobHandle } from '../jobs/workers.ts'
import { planVideo } from './video-plan.ts'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '@hearth/runtime'
import type { MediaBus } from '../events.ts'
import { createProgressReporter } from '../jobs/job-events.ts'
import type { Settings } from '../settings/schema.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import type { Slots } from './slots.ts'
import type { Quality } from '../platforms/schema.ts'
import { readCover } from '../tags/cover.ts'
import { tagsOfJob } from '../tags/media-tags.ts'
import { convertTagged, type TagTask } from '../tags/tagged-output.ts'
import { MediaFailure } from '../tools/media-failure.ts'

interface ConvertVideoDependencies extends EncodeDependencies {
  /** Calls the work with the picture that is laid over videos, a local file. */
  readonly withWatermark: <T>(work: (picture: string) => Promise<T>) => Promise<T>
}

/** Creates the conversion of videos. */
export function createConvertVideo(dependencies: ConvertVideoDependencies): ConvertFetched {
  return (fetched, handle) => {
    const { video_watermark, download_compatible_output: isCompatible } = dependencies.settings()
    const { job, file, facts } = fetched
    const convert = async (watermark?: string) => {
      const plan = planVideo(file, facts, { quality: job.quality, isCompatible, watermark })
      if (plan !== undefined) return replaceFetched(fetched, await encode(dependencies, fetched, { handle, plan }))
      return file.endsWith('.mp4') ? tagVideo(dependencies, fetched, handle.signal) : fetched
    }
    return video_watermark ? dependencies.withWatermark(convert) : convert()
  }
}

/** Writes tags into a video that needs no conversion: its streams are copied. A file that ffmpeg cannot copy stays as it is. */
async function tagVideo(
  dependencies: EncodeDependencies,
  fetched: FetchedFile,
  signal: AbortSignal,
): Promise<FetchedFile> {
  const output = join(dirname(fetched.file), 'converted.mp4')
  const conversion = {
    inputs: [fetched.file],
    args: ['-map', '0:v:0', '-map', '0:a?', '-c', 'copy'],
    output,
    timeoutMs: dependencies.settings().transcode_timeout_minutes * 60_000,
    signal,
  }
  try {
    await convertTagged(dependencies.ffmpeg, conversion, await tagTask(fetched))
    const facts = await dependencies.ffmpeg.probe(output, signal)
    return await replaceFetched(fetched, { ...fetched, file: output, facts })
  } catch (error) {
    if (signal.aborted || (error instanceof MediaFailure && error.code === 'disk_full')) throw error
    dependencies.log.warn({ err: error, job: fetched.job.id }, 'a video got no tags')
    await rm(output, { force: true })
    return fetched
  }
}

/** Tags and cover of a video. */
async function tagTask({ job, thumbnail }: Pick<FetchedFile, 'job' | 'thumbnail'>): Promise<TagTask> {
  const cover = thumbnail === undefined ? undefined : await readCover(thumbnail)
  return { tags: tagsOfJob(job), form: 'mp4', cover, videos: 1 }
}

/** Bit rate up to which a sound is not converted, kbit/s. */
const maxUnconvertedKbps = 64

/** Share of the original's size that a conversion must stay below to be kept. */
const maxSizeRatio = 0.9

/**
 * Creates the conversion of sounds. The best quality keeps the platform's file; the others become an MP3 of their bit rate, unless
 * that would not be smaller.
 */
export function createConvertAudio(dependencies: EncodeDependencies): ConvertFetched {
  return async (fetched, handle) => {
    const { job, file, facts } = fetched
    if (job.quality === 'max' || facts.bitrateKbps <= maxUnconvertedKbps) return fetched
    const plan: EncodePlan = {
      inputs: [file],
      args: ['-vn', '-map', '0:a:0', ...mp3Args(job.quality), '-map_metadata', '0'],
      extension: 'mp3',
      purpose: 'Converting to a smaller MP3',
    }
    const converted = await encode(dependencies, fetched, { handle, plan })
    if (converted.facts.sizeBytes < facts.sizeBytes * maxSizeRatio) return replaceFetched(fetched, converted)
    await rm(converted.file, { force: true })
    return fetched
  }
}

interface EncodeDependencies {
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  readonly bus: MediaBus
  readonly monotonic: () => number
  readonly settings: () => Settings
  readonly log: Log
}

/** A conversion of a fetched file. */
export interface EncodePlan {
  readonly inputs: readonly string[]
  readonly args: readonly string[]
  readonly extension: 'mp4' | 'mp3'
  /** Purpose of the conversion, for a person. */
  readonly purpose: string
}

/** Converts a fetched file, with progress, when a slot is free. Returns the new file; the fetched one is still there. */
async function encode(
  dependencies: EncodeDependencies,
  fetched: FetchedFile,
  { handle, plan }: { handle: JobHandle; plan: EncodePlan },
): Promise<FetchedFile> {
  const { ffmpeg, slots, settings } = dependencies
  const { file, facts, thumbnail } = fetched
  const message = slots.isFull ? 'Waiting for other conversions to end' : plan.purpose
  const transcoding = await handle.advance('transcode-begun', { message })
  const output = join(dirname(file), `converted.${plan.extension}`)
  const report = createProgressReporter(dependencies.bus, dependencies.monotonic)
  const task = plan.extension === 'mp4' ? await tagTask({ job: transcoding, thumbnail }) : undefined
  await slots.use(handle.signal, () => {
    const conversion = {
      inputs: plan.inputs,
      args: plan.args,
      output,
      timeoutMs: settings().transcode_timeout_minutes * 60_000,
      signal: handle.signal,
      durationMs: facts.durationMs,
      onProgress: (percent: number) => report({ ...transcoding, message: plan.purpose }, percent, null),
    }
    return task === undefined ? ffmpeg.convert(conversion) : convertTagged(ffmpeg, conversion, task)
  })
  return { ...fetched, file: output, facts: await ffmpeg.probe(output, handle.signal) }
}

/** Replaces the fetched file with the converted one. */
async function replaceFetched(fetched: FetchedFile, converted: FetchedFile): Promise<FetchedFile> {
  await rm(fetched.file, { force: true })
  const file = converted.file.replace(/converted\.(\w+)$/, 'source.$1')
  await rename(converted.file, file)
  return { ...converted, file }
}

/** LAME's variable bit rate for each quality: about 245, 165 and 100 kbit/s for music in stereo. */
const levels: Readonly<Record<Quality, number>> = { max: 0, medium: 4, small: 7 }

/** Arguments of ffmpeg that encode a sound as MP3. */
export const mp3Args = (quality: Quality): string[] => `-c:a libmp3lame -q:a ${levels[quality]}`.split(' ')
