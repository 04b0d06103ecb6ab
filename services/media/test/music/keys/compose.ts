import type { MusicalKey } from '../../../src/music/musical-keys.ts'
import { seededRandom, type SeededRandom } from '../seeded-random.ts'
import { readProgression, type Chord, type Style } from './styles.data.ts'

/** A note of a score. */
export interface ScoreNote {
  readonly part: 'chords' | 'lead' | 'bass' | 'drums'
  /** MIDI number; of drums the General MIDI note of the drum. */
  readonly pitch: number
  /** Seconds from the beginning, and how long it is held. */
  readonly begin: number
  readonly seconds: number
  /** 0 to 1. */
  readonly strength: number
}

/** A piece of music in a key. */
export interface Score {
  readonly name: string
  readonly key: MusicalKey
  readonly seconds: number
  /** General MIDI programs of the parts. */
  readonly programs: Readonly<Record<'chords' | 'lead' | 'bass', number>>
  /** Deviation from 440 Hz, semitones. */
  readonly tuning: number
  readonly notes: readonly ScoreNote[]
}

const scales = {
  major: [0, 2, 4, 5, 7, 9, 11],
  minor: [0, 2, 3, 5, 7, 8, 10],
} as const

/** A piece as it is being written. */
interface Draft {
  readonly style: Style
  readonly key: MusicalKey
  readonly random: SeededRandom
  readonly bars: readonly Chord[]
  /** Seconds of a step: four make a beat. */
  readonly step: number
  readonly notes: ScoreNote[]
}

/** Writes a piece of a style in a key, of about 30 seconds; the same for the same seed. */
export function compose(style: Style, key: MusicalKey, seed: number): Score {
  const random = seededRandom(seed)
  const bpm = style.bpm[0] + random.next() * (style.bpm[1] - style.bpm[0])
  const step = 15 / bpm
  const barSeconds = step * 4 * style.beatsPerBar
  const count = Math.max(8, Math.round(30 / barSeconds / 4) * 4)
  const bars = chordsOf(style, key, { count, random })
  const draft: Draft = { style, key, random, bars, step, notes: [] }
  addChords(draft)
  addBass(draft)
  addLead(draft)
  addDrums(draft)
  return {
    name: `${style.name} ${key.tonic} ${key.mode} ${seed}`,
    key,
    seconds: count * barSeconds,
    programs: { chords: random.pick(style.chords), lead: random.pick(style.lead), bass: random.pick(style.bass) },
    tuning: random.next() < 0.25 ? (random.next() - 0.5) * 0.6 : 0,
    notes: draft.notes,
  }
}

/** One progression again and again, or two in turns as verse and chorus; half of the pieces end on the tonic. */
function chordsOf(style: Style, key: MusicalKey, { count, random }: { count: number; random: SeededRandom }): Chord[] {
  const verse = readProgression(random.pick(style[key.mode]))
  const chorus = random.next() < 0.5 ? verse : readProgression(random.pick(style[key.mode]))
  const bars: Chord[] = []
  while (bars.length < count) bars.push(...(bars.length % 16 < 8 ? verse : chorus))
  bars.length = count
  const isEnding = random.next() < 0.5
  if (isEnding) bars[count - 1] = { root: 0, notes: key.mode === 'major' ? [0, 4, 7] : [0, 3, 7] }
  return bars
}

const stepsOf = ({ beatsPerBar }: Style): number => beatsPerBar * 4

function addChords({ style, key, bars, step, notes, random }: Draft): void {
  const base = 52 + Math.floor(random.next() * 5)
  for (const [bar, { root, notes: intervals }] of bars.entries()) {
    const from = bar * stepsOf(style)
    for (const [index, at] of style.strum.entries()) {
      const until = style.strum[index + 1] ?? stepsOf(style)
      for (const interval of intervals) {
        const pitch = near(key.tonic + root + interval, base)
        notes.push({
          part: 'chords',
          pitch,
          begin: (from + at) * step,
          seconds: (until - at) * step * 0.9,
          strength: 0.6,
        })
      }
    }
  }
}

/** The pitch of that class within the octave from `base`. */
const near = (pitch: number, base: number): number => base + ((((pitch - base) % 12) + 12) % 12)

function addBass({ style, key, bars, step, notes, random }: Draft): void {
  for (const [bar, { root, notes: intervals }] of bars.entries())
    for (const [index, at] of style.bassSteps.entries()) {
      const interval = index === 0 || random.next() < 0.65 ? 0 : random.pick(intervals)
      const until = style.bassSteps[index + 1] ?? stepsOf(style)
      const begin = (bar * stepsOf(style) + at) * step
      const pitch = near(key.tonic + root + interval, 33)
      notes.push({ part: 'bass', pitch, begin, seconds: (until - at) * step * 0.85, strength: 0.8 })
    }
}

/** A melody that walks along the scale, and lands on notes of the chord on strong beats. */
function addLead({ style, key, bars, step, notes, random }: Draft): void {
  let degree = random.pick([0, 2, 4])
  const base = 60 + key.tonic
  const pitchAt = (at: number) => base + 12 * Math.floor(at / 7) + (scales[key.mode][((at % 7) + 7) % 7] as number)
  for (const [bar, { root, notes: intervals }] of bars.entries()) {
    if (bar % 8 === 7 && random.next() < 0.4) continue
    for (let at = 0; at < stepsOf(style); at += 2) {
      // A phrase of four bars ends on the tonic.
      if (bar % 4 === 3 && at >= stepsOf(style) - 8) {
        if (at !== stepsOf(style) - 8) continue
        degree = degree > 3 ? 7 : 0
        const begin = (bar * stepsOf(style) + at) * step
        notes.push({ part: 'lead', pitch: pitchAt(degree), begin, seconds: step * 7, strength: 0.8 })
        continue
      }
      if (random.next() > style.density) continue
      degree = Math.max(-3, Math.min(9, degree + random.pick([-2, -1, -1, 0, 1, 1, 2])))
      const isStrong = at % 8 === 0
      const wanted = new Set(intervals.map((interval) => (root + interval) % 12))
      if (isStrong) {
        const found = [0, 1, -1, 2, -2].find((by) => wanted.has((pitchAt(degree + by) - base + 120) % 12))
        degree += found ?? 0
      }
      const begin = (bar * stepsOf(style) + at) * step
      notes.push({
        part: 'lead',
        pitch: pitchAt(degree),
        begin,
        seconds: step * random.pick([1.8, 3.6, 3.6]),
        strength: 0.75,
      })
    }
  }
}

function addDrums({ style, bars, step, notes }: Draft): void {
  for (const [drum, line] of Object.entries(style.drums))
    for (let at = 0; at < bars.length * stepsOf(style); at += 1) {
      const mark = line[at % line.length]
      if (mark !== 'x' && mark !== 'o') continue
      const strength = style.drumLevel * (mark === 'x' ? 1 : 0.5)
      notes.push({ part: 'drums', pitch: Number(drum), begin: at * step, seconds: 0.1, strength })
    }
}
