import { drumVoices } from './drum-voices.ts'
import { pinkNoise, syllables } from './noises.ts'
import { normalise } from './play-song.ts'
import { seededRandom } from './seeded-random.ts'
import type { Beatless } from './song.ts'
import { toneVoices } from './tone-voices.ts'

type Sound = (length: number, rate: number, seed: number) => Float32Array

/** A chord that swells and beats slowly. */
const drone: Sound = (length, rate, seed) => {
  const random = seededRandom(seed)
  const partials = Array.from({ length: 12 }, (_, index) => ({
    turn: (2 * Math.PI * 55 * (index + 1) * (1 + random.gaussian() * 0.003)) / rate,
    swell: (2 * Math.PI * (0.03 + random.next() * 0.1)) / rate,
    phase: random.next() * 6,
  }))
  const samples = new Float32Array(length)
  for (const [number, { turn, swell, phase }] of partials.entries())
    for (let index = 0; index < length; index += 1)
      samples[index]! += ((1 + Math.sin(index * swell + phase)) * Math.sin(index * turn + phase)) / (number + 1)
  return samples
}

/** Sounds at moments that know nothing of each other, `perSecond` on average. */
function scattered(perSecond: number, sounds: (rate: number, seed: number) => readonly Float32Array[]): Sound {
  return (length, rate, seed) => {
    const random = seededRandom(seed)
    const choice = sounds(rate, seed)
    const samples = new Float32Array(length)
    for (let time = 0; time * rate < length; time -= Math.log(1 - random.next()) / perSecond) {
      const begin = Math.round(time * rate)
      const gain = 0.3 + random.next() * 0.7
      const sound = random.pick(choice)
      const end = Math.min(length, begin + sound.length)
      for (let index = begin; index < end; index += 1) samples[index]! += sound[index - begin]! * gain
    }
    return samples
  }
}

const kit = (rate: number) => [drumVoices.kick(rate, 0), drumVoices.snare(rate, 0), drumVoices.hat(rate, 0)]
const hands = (rate: number) => [0, 1, 2, 3].map((variant) => drumVoices.clap(rate, variant))
const freeNotes = (rate: number) =>
  [48, 52, 55, 60, 64, 67].map((pitch) => toneVoices.piano(rate, { pitch, seconds: 1.5 }))

/** Noise that comes and goes like the sea, each time after another while. */
const waves: Sound = (length, rate, seed) => {
  const random = seededRandom(seed)
  const noise = pinkNoise(length, seed)
  let [phase, pace] = [0, 0.2]
  return noise.map((value) => {
    phase += pace / rate
    if (phase > 1) [phase, pace] = [0, 0.12 + random.next() * 0.2]
    return value * (0.15 + Math.sin(Math.PI * phase) ** 3)
  })
}

const sounds: Record<Beatless['sound'], Sound> = {
  drone,
  pink: (length, _rate, seed) => pinkNoise(length, seed),
  syllables,
  hits: scattered(3.2, kit),
  rubato: scattered(2.1, freeNotes),
  applause: scattered(60, hands),
  waves,
  silence: (length) => new Float32Array(length),
}

/** Sound without a beat as samples, the loudest 0.9; the same for the same description and rate. */
export function playBeatless({ sound, seconds, seed }: Beatless, rate: number): Float32Array {
  return normalise(sounds[sound](Math.round(seconds * rate), rate, seed))
}
