import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeWav } from '../audio-files.ts'
import type { PlayedScore } from '../keys/midi-file.ts'
import { playScore } from '../keys/render-scores.ts'
import { addAtRatio, pinkNoise } from '../noises.ts'
import { playBeatless } from '../play-beatless.ts'
import { normalise } from '../play-song.ts'
import { seededRandom } from '../seeded-random.ts'
import type { Beatless } from '../song.ts'

const run = promisify(execFile)
const rate = 44_100
const seconds = 40

/** A sound without a beat: how it is made, and the seed of it. */
export interface BeatlessSound {
  readonly kind:
    | Beatless['sound']
    | 'speech'
    | 'free piano'
    | 'free guitar'
    | 'free strings'
    | 'pads'
    | 'rain'
    | 'birds'
    | 'wind'
  readonly seed: number
}

const kinds = [
  'speech',
  'free piano',
  'free guitar',
  'free strings',
  'pads',
  'rain',
  'birds',
  'wind',
  'drone',
  'pink',
  'syllables',
  'hits',
  'rubato',
  'applause',
  'waves',
] as const

/** Sounds the estimator was made with, and those set aside. */
export const designBeatlessSounds: readonly BeatlessSound[] = [1, 2, 3, 4].flatMap((turn) =>
  kinds.map((kind, index) => ({ kind, seed: turn * 100 + index })),
)
export const heldOutBeatlessSounds: readonly BeatlessSound[] = [71, 72].flatMap((turn) =>
  kinds.map((kind, index) => ({ kind, seed: turn * 100 + index })),
)

const sentences = [
  'The committee met on Tuesday and agreed, after a long discussion, that the old bridge should be repaired before winter.',
  'Nobody knows how the letter came to lie under the stairs; it was found, unopened, by the painter who moved the cupboard.',
  'In the north there will be showers, with bright intervals later. Further south it stays dry, although the wind picks up.',
  'First peel the apples. Then cut them into pieces, not too small, and cook them slowly with a little water and cinnamon.',
  'She had meant to write sooner, of course, but the days went by, one like the other, and then it was suddenly spring.',
] as const
const voices = ['en-gb', 'en-us', 'de', 'fr', 'es', 'it'] as const

/** Makes a sound into a WAV file whose path without its ending is given, and returns the path of the file. */
export async function renderBeatless({ kind, seed }: BeatlessSound, path: string, soundFont: string): Promise<string> {
  const random = seededRandom(seed)
  if (kind === 'speech') return speak(seed, path)
  if (kind === 'free piano' || kind === 'free guitar' || kind === 'free strings' || kind === 'pads')
    return playScore(freeNotes(kind, seed), path, soundFont)
  const length = seconds * rate
  const samples =
    kind === 'rain'
      ? rain(length, seed)
      : kind === 'birds'
        ? birds(length, seed)
        : kind === 'wind'
          ? wind(length, seed)
          : playBeatless({ name: kind, sound: kind, seconds, seed }, rate)
  if (random.next() < 0.3) addAtRatio(samples, pinkNoise(length, seed + 1), 12)
  return writeWav(`${path}.wav`, rate, [normalise(samples)])
}

async function speak(seed: number, path: string): Promise<string> {
  const random = seededRandom(seed)
  const text = Array.from({ length: 7 }, () => random.pick(sentences)).join(' ')
  const words = [
    '-v',
    random.pick(voices),
    '-s',
    String(Math.round(130 + random.next() * 70)),
    '-p',
    String(Math.round(random.next() * 90)),
    '-w',
    `${path}.wav`,
    text,
  ]
  await run('espeak-ng', words, { timeout: 60_000 })
  return `${path}.wav`
}

const players = {
  'free piano': [0, 1],
  'free guitar': [24, 25],
  'free strings': [48, 42, 40],
  pads: [88, 89, 91, 94],
} as const

/** Notes played as they come: each after another while. */
function freeNotes(kind: keyof typeof players, seed: number): PlayedScore {
  const random = seededRandom(seed)
  const program = random.pick(players[kind])
  const pace = kind === 'pads' ? 3.5 : 0.25 + random.next() * 0.6
  const notes: PlayedScore['notes'][number][] = []
  for (let time = 0.2; time < seconds; time += pace * Math.exp(random.gaussian() * 0.7)) {
    const chord = random.next() < 0.3 || kind === 'pads' ? [0, 4, 7] : [0]
    const pitch = 48 + random.pick([0, 2, 4, 5, 7, 9, 11, 12, 14, 16])
    const held = pace * (1 + random.next() * 2)
    for (const interval of chord)
      notes.push({
        part: 'chords',
        pitch: pitch + interval,
        begin: time + random.next() * 0.03,
        seconds: held,
        strength: 0.3 + random.next() * 0.6,
      })
  }
  return { programs: { chords: program, lead: program, bass: program }, tuning: 0, notes }
}

/** Drops of all sizes over a rushing. */
function rain(length: number, seed: number): Float32Array {
  const random = seededRandom(seed)
  const samples = pinkNoise(length, seed).map((value) => value * 0.08)
  const perSecond = 20 + random.next() * 150
  for (let time = 0; time < length; time -= (Math.log(1 - random.next()) / perSecond) * rate) {
    const [pitch, size] = [1200 + random.next() * 5000, random.next() ** 3]
    const count = Math.min(Math.round(rate * 0.012), length - Math.ceil(time))
    for (let index = 0; index < count; index += 1)
      samples[Math.ceil(time) + index]! +=
        size * Math.sin((2 * Math.PI * pitch * index) / rate) * Math.exp(-index / (rate * 0.002))
  }
  return samples
}

/** Calls that rise and fall, in groups of different length, with pauses. */
function birds(length: number, seed: number): Float32Array {
  const random = seededRandom(seed)
  const samples = pinkNoise(length, seed).map((value) => value * 0.02)
  for (let time = random.next(); time < length / rate - 1; time += 0.3 + random.next() ** 2 * 3) {
    const [base, sweep] = [1800 + random.next() * 3000, (random.next() - 0.5) * 3000]
    for (let call = 0; call < 1 + random.next() * 4; call += 1) {
      const [begin, held] = [time + call * (0.08 + random.next() * 0.12), 0.04 + random.next() * 0.1]
      let phase = 0
      for (let index = 0; index < held * rate; index += 1) {
        const place = index / (held * rate)
        phase += (2 * Math.PI * (base + sweep * place)) / rate
        const at = Math.round(begin * rate) + index
        if (at < length) samples[at]! += 0.4 * Math.sin(phase) * Math.sin(Math.PI * place)
      }
    }
  }
  return samples
}

/** A rushing whose strength wanders. */
function wind(length: number, seed: number): Float32Array {
  const random = seededRandom(seed)
  const samples = pinkNoise(length, seed)
  let [level, wanted] = [0.3, 0.5]
  for (let index = 0; index < length; index += 1) {
    if (random.next() < 0.8 / rate) wanted = 0.1 + random.next()
    level += (wanted - level) / (rate * 0.8)
    samples[index]! *= level
  }
  return samples
}

/** Path of a sound in a folder, without its ending. */
export const beatlessPath = (folder: string, { kind, seed }: BeatlessSound): string =>
  join(folder, `${kind.replaceAll(' ', '-')}-${seed}`)
