import { drumVoices, type DrumName } from './drum-voices.ts'
import { addAtRatio, pinkNoise, syllables } from './noises.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'
import type { Song } from './song.ts'
import { beatClock } from './tempo-map.ts'
import { toneVoices, type ToneName } from './tone-voices.ts'

const strengths: Record<string, number> = { X: 1, x: 0.7, o: 0.42, g: 0.2 }
const drumLevels: Partial<Record<DrumName, number>> = {
  kick: 1,
  boom: 0.9,
  snare: 0.8,
  hat: 0.35,
  open: 0.3,
  ride: 0.25,
}
const toneLevels: Record<ToneName, number> = { piano: 0.4, bass: 0.55, pluck: 0.3, pad: 0.15, strings: 0.18 }
const roots: Record<ToneName, number> = { piano: 57, bass: 33, pluck: 60, pad: 52, strings: 57 }
const chords = [
  [0, 4, 7],
  [-3, 0, 4],
  [-7, -3, 0],
  [-5, -1, 2],
] as const

interface Hit {
  readonly seconds: number
  readonly strength: number
  readonly step: number
}

/** The music of a song as samples, the loudest 0.9; the same for the same song and rate. */
export function playSong(song: Song, rate: number): Float32Array {
  const samples = new Float32Array(Math.round(song.seconds * rate))
  for (const [number, [name, line]] of Object.entries(song.drums ?? {}).entries()) {
    const hits = hitsOf(song, line, seededRandom(song.seed * 101 + number))
    playDrum(samples, rate, {
      name: name as DrumName,
      hits: hits.filter(({ seconds }) => seconds >= (song.intro ?? 0)),
    })
  }
  for (const [number, [name, line]] of Object.entries(song.tones ?? {}).entries()) {
    const random = seededRandom(song.seed * 211 + number)
    playTone(samples, rate, { name: name as ToneName, hits: hitsOf(song, line, random), random, song })
  }
  if (song.fillEvery !== undefined) playFills(samples, rate, song)
  if (song.voice !== undefined) addAtRatio(samples, syllables(samples.length, rate, song.seed + 5), song.voice)
  if (song.noise !== undefined) addAtRatio(samples, pinkNoise(samples.length, song.seed + 7), song.noise)
  return normalise(samples)
}

/** Makes the loudest sample 0.9, in place; silence stays silence. */
export function normalise(samples: Float32Array): Float32Array {
  let loudest = 0
  for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample))
  if (loudest === 0) return samples
  for (let index = 0; index < samples.length; index += 1) samples[index]! *= 0.9 / loudest
  return samples
}

/** Every step's moment, swung, until the end of the song. */
function momentOf(song: Song): (step: number) => number {
  const { stepsPerBeat = 4, swing = 0.5, swingPair = 2 } = song
  const clock = beatClock(song.tempo, song.seconds)
  return (step) => {
    const phase = (step % swingPair) / swingPair
    const swung = phase < 0.5 ? phase * 2 * swing : swing + (phase - 0.5) * 2 * (1 - swing)
    return clock((Math.floor(step / swingPair) + swung) * (swingPair / stepsPerBeat))
  }
}

function hitsOf(song: Song, line: string, random: SeededRandom): Hit[] {
  const marks = line.replaceAll(' ', '')
  const moment = momentOf(song)
  const hits: Hit[] = []
  for (let step = 0; moment(step) < song.seconds - 0.05; step += 1) {
    const strength = strengths[marks[step % marks.length]!]
    const late = random.gaussian() * ((song.jitterMs ?? 2) / 1000)
    const accent = 1 + random.gaussian() * 0.1
    if (strength !== undefined) hits.push({ seconds: moment(step) + late, strength: strength * accent, step })
  }
  return hits
}

function add(samples: Float32Array, sound: Float32Array, { at, gain }: { at: number; gain: number }): void {
  const begin = Math.max(0, Math.round(at))
  const end = Math.min(samples.length, begin + sound.length)
  for (let index = begin; index < end; index += 1) samples[index]! += sound[index - begin]! * gain
}

function playDrum(samples: Float32Array, rate: number, { name, hits }: { name: DrumName; hits: readonly Hit[] }): void {
  const variants = [0, 1, 2].map((variant) => drumVoices[name](rate, variant))
  for (const [number, { seconds, strength }] of hits.entries())
    add(samples, variants[number % 3]!, { at: seconds * rate, gain: strength * (drumLevels[name] ?? 0.5) })
}

/** Chords change with every bar of four beats; a bass and a plucked string play single notes of them. */
function playTone(
  samples: Float32Array,
  rate: number,
  { name, hits, random, song }: { name: ToneName; hits: readonly Hit[]; random: SeededRandom; song: Song },
): void {
  const bar = (song.stepsPerBeat ?? 4) * 4
  for (const [number, { seconds, strength, step }] of hits.entries()) {
    const held = Math.min(2, Math.max(0.1, ((hits[number + 1]?.seconds ?? song.seconds) - seconds) * 0.95))
    const chord = chords[Math.floor(step / bar) % chords.length]!
    const isSingle = name === 'bass' || name === 'pluck'
    const single = step % bar === 0 || random.next() < 0.5 ? chord[0] : random.pick(chord)
    for (const pitch of isSingle ? [single] : chord) {
      const sound = toneVoices[name](rate, { pitch: roots[name] + pitch, seconds: held })
      add(samples, sound, { at: seconds * rate, gain: strength * toneLevels[name] })
    }
  }
}

function playFills(samples: Float32Array, rate: number, song: Song): void {
  const random = seededRandom(song.seed * 307)
  const every = song.fillEvery ?? 4
  const rest = '-'.repeat(16 * every - 8)
  const fill = Array.from({ length: 8 }, () => random.pick(['x', 'o', 'X', '-'])).join('')
  const drums = { tom: `${rest}${fill}`, snare: `${rest}${fill.replaceAll('o', '-')}` }
  for (const name of ['tom', 'snare'] as const)
    playDrum(samples, rate, { name, hits: hitsOf(song, drums[name], random) })
}
