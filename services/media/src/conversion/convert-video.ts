import type { FetchedFile } from '../jobs/run-job.ts'
import type { JobHand } from '../jobs/workers.ts'
import { encode, replaceFetched, type EncodeParts } from './encode.ts'
import { planVideo } from './video-plan.ts'

/** Makes of a fetched file what was asked for; the file itself when it is good as it is. */
export type ConvertFetched = (fetched: FetchedFile, hand: JobHand) => Promise<FetchedFile>

/** Dependencies of `createConvertVideo`. */
export interface ConvertVideoParts extends EncodeParts {
  /** Calls the work with the picture that is laid over videos, a local file. */
  readonly withWatermark: <T>(work: (picture: string) => Promise<T>) => Promise<T>
}

/** Makes the conversion of videos. */
export function createConvertVideo(parts: ConvertVideoParts): ConvertFetched {
  return (fetched, hand) => {
    const { video_watermark } = parts.settings()
    if (!video_watermark) return convert(parts, fetched, { hand, watermark: undefined })
    return parts.withWatermark((watermark) => convert(parts, fetched, { hand, watermark }))
  }
}

async function convert(
  parts: ConvertVideoParts,
  fetched: FetchedFile,
  { hand, watermark }: { hand: JobHand; watermark: string | undefined },
): Promise<FetchedFile> {
  const { job, file, facts } = fetched
  const isCompatible = parts.settings().download_compatible_output
  const plan = planVideo(file, facts, { quality: job.quality, isCompatible, watermark })
  if (plan === undefined) return fetched
  return replaceFetched(fetched, await encode(parts, fetched, { hand, plan }))
}
