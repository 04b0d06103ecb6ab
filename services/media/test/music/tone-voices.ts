import { seededRandom } from './seeded-random.ts'

/** A note: its pitch as a MIDI number and how long it is held, seconds. */
export interface Note {
  readonly pitch: number
  readonly seconds: number
}

/** Makes one note at a sample rate, about 1 high. */
export type ToneVoice = (rate: number, note: Note) => Float32Array

interface Sound {
  readonly partials: number
  /** Fall of the partials: 1 falls as a saw tooth does. */
  readonly slope: number
  readonly attack: number
  /** Seconds until the first partial fell to a third. */
  readonly decay: number
  readonly release: number
}

/** Partials are made by the recurrence of the sine, a multiplication a sample, so that a chord costs little. */
function tone(sound: Sound): ToneVoice {
  return (rate, { pitch, seconds }) => {
    const frequency = 440 * 2 ** ((pitch - 69) / 12)
    const samples = new Float32Array(Math.ceil(rate * (seconds + sound.release)))
    for (let partial = 1; partial <= sound.partials && partial * frequency < rate * 0.45; partial += 1) {
      const turn = 2 * Math.cos((2 * Math.PI * partial * frequency) / rate)
      const fade = Math.exp((-1 / rate / sound.decay) * partial ** 0.5)
      let before = 0
      let value = Math.sin((2 * Math.PI * partial * frequency) / rate)
      let gain = 0.5 * partial ** -sound.slope
      for (let index = 0; index < samples.length; index += 1) {
        samples[index]! += value * gain
        gain *= fade
        const next = turn * value - before
        before = value
        value = next
      }
    }
    return shape(samples, rate, { ...sound, seconds })
  }
}

function shape(samples: Float32Array, rate: number, sound: Sound & { seconds: number }): Float32Array {
  const attack = Math.max(1, rate * sound.attack)
  const end = rate * sound.seconds
  const fade = Math.exp(-3 / (rate * sound.release))
  let gain = 1
  for (let index = 0; index < samples.length; index += 1) {
    if (index > end) gain *= fade
    samples[index]! *= Math.min(1, index / attack) * gain
  }
  return samples
}

const keys = tone({ partials: 8, slope: 1.3, attack: 0.003, decay: 0.7, release: 0.12 })

/** A hammer is heard before the string. */
const piano: ToneVoice = (rate, note) => {
  const samples = keys(rate, note)
  const random = seededRandom(note.pitch)
  const hammer = Math.min(samples.length, Math.round(rate * 0.02))
  for (let index = 0; index < hammer; index += 1)
    samples[index]! += (random.next() - 0.5) * 0.25 * Math.exp((-index / rate) * 250)
  return samples
}

/** The instruments with a pitch. */
export const toneVoices = {
  piano,
  bass: tone({ partials: 7, slope: 1.1, attack: 0.006, decay: 0.5, release: 0.05 }),
  pluck: tone({ partials: 10, slope: 0.9, attack: 0.002, decay: 0.18, release: 0.05 }),
  pad: tone({ partials: 6, slope: 1, attack: 0.12, decay: 8, release: 0.3 }),
  strings: tone({ partials: 10, slope: 0.9, attack: 0.06, decay: 6, release: 0.15 }),
} satisfies Record<string, ToneVoice>

/** The name of an instrument with a pitch. */
export type ToneName = keyof typeof toneVoices
