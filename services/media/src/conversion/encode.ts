import { dirname, join } from 'node:path'
import { rename, rm } from 'node:fs/promises'
import type { MediaBus } from '../events/schema.ts'
import { createProgressTeller } from '../jobs/job-events.ts'
import type { FetchedFile } from '../jobs/run-job.ts'
import type { JobHand } from '../jobs/workers.ts'
import type { Settings } from '../settings/schema.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import type { Slots } from './slots.ts'

/** Dependencies of `encode`. */
export interface EncodeParts {
  readonly ffmpeg: Ffmpeg
  readonly slots: Slots
  readonly bus: MediaBus
  readonly monotonic: () => number
  readonly settings: () => Settings
}

/** A conversion of a fetched file. */
export interface EncodePlan {
  readonly inputs: readonly string[]
  readonly words: readonly string[]
  readonly extension: 'mp4' | 'mp3'
  /** Purpose of the conversion, for a person. */
  readonly purpose: string
}

/** Converts a fetched file, with progress, when a slot is free. Returns the new file; the fetched one is still there. */
export async function encode(
  parts: EncodeParts,
  fetched: FetchedFile,
  { hand, plan }: { hand: JobHand; plan: EncodePlan },
): Promise<FetchedFile> {
  const { file, facts } = fetched
  const message = parts.slots.isFull ? 'Waiting for other conversions to end' : plan.purpose
  const transcoding = await hand.advance('transcode-begun', { message })
  const output = join(dirname(file), `converted.${plan.extension}`)
  const tell = createProgressTeller(parts.bus, parts.monotonic)
  await parts.slots.use(hand.signal, () =>
    parts.ffmpeg.convert({
      inputs: plan.inputs,
      words: plan.words,
      output,
      timeoutMs: parts.settings().transcode_timeout_minutes * 60_000,
      signal: hand.signal,
      durationMs: facts.durationMs,
      onProgress: (percent) => tell({ ...transcoding, message: plan.purpose }, percent, null),
    }),
  )
  return { ...fetched, file: output, facts: await parts.ffmpeg.probe(output, hand.signal) }
}

/** Puts a converted file in the place of the fetched one. */
export async function replaceFetched(fetched: FetchedFile, converted: FetchedFile): Promise<FetchedFile> {
  await rm(fetched.file, { force: true })
  const file = converted.file.replace(/converted\.(\w+)$/, 'source.$1')
  await rename(converted.file, file)
  return { ...converted, file }
}
