import { rm } from 'node:fs/promises'
import type { ConvertFetched } from './convert-video.ts'
import { encode, replaceFetched, type EncodeParts, type EncodePlan } from './encode.ts'
import { mp3Words } from './mp3-words.ts'

/** Nothing is gained by encoding what is not larger than this, kbit/s. */
const smallEnough = 64

/** The part of the original's size that an encoding must stay below to be worth its loss. */
const worthwhile = 0.9

/**
 * Makes the conversion of sounds. The best quality keeps the platform's file; the others become an MP3 of their bit rate, unless
 * that would not be smaller.
 */
export function createConvertAudio(parts: EncodeParts): ConvertFetched {
  return async (fetched, hand) => {
    const { job, file, facts } = fetched
    if (job.quality === 'max' || facts.bitrateKbps <= smallEnough) return fetched
    const plan: EncodePlan = {
      inputs: [file],
      words: mp3Words(job.quality),
      extension: 'mp3',
      purpose: 'Converting to a smaller MP3',
    }
    const converted = await encode(parts, fetched, { hand, plan })
    if (converted.facts.sizeBytes < facts.sizeBytes * worthwhile) return replaceFetched(fetched, converted)
    await rm(converted.file, { force: true })
    return fetched
  }
}
