import { dirname, join } from 'node:path'
import { rename, rm } from 'node:fs/promises'
import type { EventBus } from '../events/bus.ts'
import { createProgressTeller } from '../jobs/job-events.ts'
import type { FetchedFile } from '../jobs/run-job.ts'
import type { JobHand } from '../jobs/workers.ts'
import type { Settings } from '../settings/schema.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import type { Slots } from './slots.ts'
import { planVideo } from './video-plan.ts'

/** Makes of a fetched video what was asked for; the file itself when it is good as it is. */
export type ConvertVideo = (fetched: FetchedFile, hand: JobHand) => Promise<FetchedFile>

export interface ConvertParts {
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  readonly bus: EventBus
  readonly monotonic: () => number
  readonly settings: () => Settings
  /** Calls the work with the picture that is laid over videos, a local file. */
  readonly withWatermark: <T>(work: (picture: string) => Promise<T>) => Promise<T>
}

export function createConvertVideo(parts: ConvertParts): ConvertVideo {
  return (fetched, hand) => {
    const { video_watermark } = parts.settings()
    if (!video_watermark) return convert(parts, fetched, { hand, watermark: undefined })
    return parts.withWatermark((watermark) => convert(parts, fetched, { hand, watermark }))
  }
}

async function convert(
  parts: ConvertParts,
  fetched: FetchedFile,
  { hand, watermark }: { hand: JobHand; watermark: string | undefined },
): Promise<FetchedFile> {
  const { job, file, facts } = fetched
  const settings = parts.settings()
  const wish = { quality: job.quality, isCompatible: settings.download_compatible_output, watermark }
  const plan = planVideo(file, facts, wish)
  if (plan === undefined) return fetched
  const message = parts.slots.isFull ? 'Waiting for other conversions to end' : plan.purpose
  const transcoding = await hand.advance('transcode-begun', { message })
  const folder = dirname(file)
  const output = join(folder, `converted.${plan.extension}`)
  const tell = createProgressTeller(parts.bus, parts.monotonic)
  await parts.slots.use(hand.signal, () =>
    parts.ffmpeg.convert({
      inputs: plan.inputs,
      words: plan.words,
      output,
      timeoutMs: settings.transcode_timeout_minutes * 60_000,
      signal: hand.signal,
      durationMs: facts.durationMs,
      onProgress: (percent) => tell({ ...transcoding, message: plan.purpose }, percent, null),
    }),
  )
  const converted = await parts.ffmpeg.probe(output, hand.signal)
  await rm(file, { force: true })
  const target = join(folder, `source.${plan.extension}`)
  await rename(output, target)
  return { ...fetched, file: target, facts: converted }
}
