import { seededRandom } from './seeded-random.ts'

/** Noise with equal power in every octave, standard deviation about 1. */
export function pinkNoise(length: number, seed: number): Float32Array {
  const random = seededRandom(seed)
  const samples = new Float32Array(length)
  let [slow, middle, quick] = [0, 0, 0]
  for (let index = 0; index < length; index += 1) {
    const white = random.next() * 2 - 1
    slow = 0.99765 * slow + white * 0.099
    middle = 0.963 * middle + white * 0.2965
    quick = 0.57 * quick + white * 1.0527
    samples[index] = (slow + middle + quick + white * 0.1848) * 0.6
  }
  return samples
}

/** Returns talking as it looks from afar: bursts of filtered noise and buzz, three to seven a second, with pauses for breath. */
export function syllables(length: number, rate: number, seed: number): Float32Array {
  const random = seededRandom(seed)
  const samples = new Float32Array(length)
  let time = random.next() * 0.4
  while (time * rate < length) {
    const seconds = 0.08 + random.next() * 0.17
    addSyllable(samples, { rate, time, seconds, strength: 0.4 + random.next() * 0.6, seed: random.next() * 1e9 })
    time += seconds + random.next() * 0.08 + (random.next() < 0.12 ? 0.3 + random.next() * 0.7 : 0)
  }
  return samples
}

interface Syllable {
  readonly rate: number
  readonly time: number
  readonly seconds: number
  readonly strength: number
  readonly seed: number
}

function addSyllable(samples: Float32Array, { rate, time, seconds, strength, seed }: Syllable): void {
  const random = seededRandom(seed)
  const pitch = 110 + random.next() * 90
  const formant = 500 + random.next() * 1400
  const isHissing = random.next() < 0.3
  const begin = Math.round(time * rate)
  const count = Math.min(Math.round(seconds * rate), samples.length - begin)
  let [low, band] = [0, 0]
  const tuning = 2 * Math.sin((Math.PI * formant) / rate)
  for (let index = 0; index < count; index += 1) {
    const phase = (index / rate) * pitch
    const source = isHissing ? random.next() * 2 - 1 : 2 * (phase % 1) - 1 + (random.next() - 0.5) * 0.2
    low += tuning * band
    band += tuning * (source - low - 0.35 * band)
    samples[begin + index]! += band * strength * Math.sin((Math.PI * index) / count) ** 0.6
  }
}

/** Effective value of a piece, its silent beginning and end included. */
export function effectiveValue(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / Math.max(1, samples.length))
}

/** Adds noise so that the music is `decibels` louder than it. */
export function addAtRatio(samples: Float32Array, noise: Float32Array, decibels: number): void {
  const gain = (effectiveValue(samples) / effectiveValue(noise)) * 10 ** (-decibels / 20)
  for (let index = 0; index < samples.length; index += 1) samples[index]! += noise[index]! * gain
}
