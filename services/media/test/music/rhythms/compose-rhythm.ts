import type { ScoreNote } from '../keys/compose.ts'
import type { PlayedScore } from '../keys/midi-file.ts'
import { readProgression } from '../keys/styles.data.ts'
import { seededRandom, type SeededRandom } from '../seeded-random.ts'
import { beatClock, rightTempi, type Tempo } from '../tempo-map.ts'
import { drumNotes, type Groove, type RhythmDrum, type RhythmStyle } from './rhythm-style.ts'

/** A piece with its truth. */
export interface RhythmScore extends PlayedScore {
  readonly name: string
  readonly style: string
  readonly seed: number
  readonly seconds: number
  /** Right answers, BPM: two when the tempo changes. */
  readonly right: readonly number[]
  readonly isSteady: boolean
  readonly metre: number
  /** Times of the beats, seconds, and the places of the first beats of bars among them. */
  readonly beats: readonly number[]
  readonly downbeats: readonly number[]
}

interface Draft {
  readonly style: RhythmStyle
  readonly random: SeededRandom
  readonly bars: number
  readonly stepsPerBar: number
  /** Time of a step, seconds. */
  readonly at: (step: number) => number
  readonly chords: readonly { readonly root: number; readonly notes: readonly number[] }[]
  readonly key: number
  readonly jitter: number
  readonly notes: ScoreNote[]
}

const strengths: Readonly<Record<string, number>> = { X: 1, x: 0.75, o: 0.5, g: 0.28 }
const levels: Partial<Record<RhythmDrum, number>> = {
  hat: 0.65,
  open: 0.6,
  ride: 0.6,
  shaker: 0.55,
  maracas: 0.55,
  crash: 0.6,
  pedal: 0.6,
}

/** Writes a piece of about `seconds`; the same for the same seed. */
export function composeRhythm(style: RhythmStyle, seed: number, seconds = 40): RhythmScore {
  const random = seededRandom(seed)
  const bpm = style.bpm[0] * (style.bpm[1] / style.bpm[0]) ** random.next()
  const tempo = tempoOf(random, bpm, seconds)
  const offset = random.next() * 1.2
  const clock = beatClock(tempo, seconds + 30)
  const bars = Math.max(4, Math.round((seconds * bpm) / 60 / style.beatsPerBar))
  const stepsPerBar = style.beatsPerBar * style.stepsPerBeat
  const swing = style.swing === undefined ? 0.5 : style.swing[0] + random.next() * (style.swing[1] - style.swing[0])
  const pair = style.swingPair ?? 2
  const at = (step: number) => {
    const phase = (step % pair) / pair
    const swung = phase < 0.5 ? phase * 2 * swing : swing + (phase - 0.5) * 2 * (1 - swing)
    return offset + clock(((Math.floor(step / pair) + swung) * pair) / style.stepsPerBeat)
  }
  const chords = harmony(style, random, bars)
  const jitter = (random.next() * style.jitterMs) / 1000
  const draft: Draft = {
    style,
    random,
    bars,
    stepsPerBar,
    at,
    chords,
    key: Math.floor(random.next() * 12),
    jitter,
    notes: [],
  }
  addDrums(draft)
  addBass(draft)
  addChords(draft)
  if (random.next() < 0.85) addLead(draft)
  const count = bars * style.beatsPerBar
  const { programs } = style
  return {
    name: `${style.name} ${bpm.toFixed(1)} ${seed}`,
    style: style.name,
    seed,
    seconds: at(bars * stepsPerBar) + 0.5,
    programs: {
      chords: random.pick(programs.chords),
      lead: random.pick(programs.lead),
      bass: random.pick(programs.bass),
    },
    tuning: 0,
    notes: draft.notes,
    right: rightTempi(tempo),
    isSteady: 'bpm' in tempo,
    metre: style.metre,
    beats: Array.from({ length: count }, (_, beat) => offset + clock(beat)),
    downbeats: Array.from({ length: bars }, (_, bar) => bar * style.beatsPerBar),
  }
}

/** Most pieces are steady; some drift, speed up, or change. */
function tempoOf(random: SeededRandom, bpm: number, seconds: number): Tempo {
  const kind = random.next()
  if (kind < 0.72) return { bpm }
  if (kind < 0.86) return { drift: bpm, share: 0.01 + random.next() * 0.03, everySeconds: 12 + random.next() * 25 }
  if (kind < 0.97) {
    const by = 1 + (random.next() - 0.5) * 0.12
    return { ramp: [bpm / Math.sqrt(by), bpm * Math.sqrt(by)] }
  }
  return {
    change: [bpm, bpm * random.pick([0.78, 0.84, 1.19, 1.27])],
    atSeconds: seconds * (0.4 + random.next() * 0.2),
  }
}

function harmony(style: RhythmStyle, random: SeededRandom, bars: number) {
  const verse = readProgression(random.pick(style.progressions))
  const chorus = random.next() < 0.5 ? verse : readProgression(random.pick(style.progressions))
  const barsPerChord = random.pick([1, 1, 1, 2, 2, 4])
  return Array.from({ length: bars }, (_, bar) => {
    const part = Math.floor(bar / 8) % 2 === 0 ? verse : chorus
    return part[Math.floor(bar / barsPerChord) % part.length] ?? { root: 0, notes: [0, 4, 7] }
  })
}

function push(
  draft: Draft,
  note: { part: ScoreNote['part']; pitch: number; step: number; steps: number; strength: number },
): void {
  const { random, at, jitter, notes } = draft
  const begin = Math.max(0, at(note.step) + random.gaussian() * jitter)
  const seconds = Math.max(0.04, at(note.step + note.steps) - at(note.step))
  const strength = Math.max(0.05, Math.min(1, note.strength * (1 + random.gaussian() * 0.08)))
  notes.push({ part: note.part, pitch: note.pitch, begin, seconds, strength })
}

/** Some bars at the beginning, or two to four of them later, have no drums. */
function silentBars({ random, bars, style }: Draft): ReadonlySet<number> {
  const silent = new Set<number>()
  if (style.beatsPerBar * bars < 24) return silent
  const add = (from: number, count: number) => {
    for (let bar = from; bar < from + count; bar += 1) silent.add(bar)
  }
  if (random.next() < 0.3) add(0, random.pick([1, 2, 4]))
  if (random.next() < 0.2) add(Math.floor(bars * (0.4 + random.next() * 0.3)), random.pick([1, 2, 4]))
  return silent
}

/** The groove with hits left out and ghosts put in, as no two drummers play the same. */
function varied(groove: Groove, random: SeededRandom): Groove {
  const lines = Object.entries(groove).map(([drum, line]) => {
    const isLoose = random.next() < 0.3
    const text = line.split('').map((mark) => {
      if (!isLoose) return mark
      if (mark === 'x' || mark === 'o' || mark === 'g') return random.next() < 0.12 ? '-' : mark
      return mark === '-' && random.next() < 0.04 ? 'g' : mark
    })
    return [drum, text.join('')]
  })
  return Object.fromEntries(random.next() < 0.15 && lines.length > 2 ? lines.slice(0, -1) : lines) as Groove
}

function addDrums(draft: Draft): void {
  const { style, random, bars, stepsPerBar } = draft
  if (style.grooves.length === 0) return
  const first = varied(random.pick(style.grooves), random)
  const second = random.next() < 0.3 ? varied(random.pick(style.grooves), random) : first
  const level = random.next() < 0.06 ? 0 : 0.45 + random.next() * 0.55
  const fillEvery = random.pick([4, 8, 8, 16, 1000])
  const silent = silentBars(draft)
  if (level === 0) return
  for (let bar = 0; bar < bars; bar += 1) {
    if (silent.has(bar)) continue
    const isFill = bar % fillEvery === fillEvery - 1
    const fillFrom = isFill ? stepsPerBar - random.pick([1, 2]) * style.stepsPerBeat : stepsPerBar
    const groove = Math.floor(bar / 8) % 2 === 0 ? first : second
    for (const [drum, line] of Object.entries(groove) as [RhythmDrum, string][])
      for (let step = 0; step < Math.max(0, fillFrom); step += 1) {
        const strength = strengths[line[(bar * stepsPerBar + step) % line.length] ?? '-']
        if (strength === undefined) continue
        const loud = strength * level * (levels[drum] ?? 0.9)
        push(draft, { part: 'drums', pitch: drumNotes[drum], step: bar * stepsPerBar + step, steps: 1, strength: loud })
      }
    if (isFill) addFill(draft, bar * stepsPerBar + Math.max(0, fillFrom), (bar + 1) * stepsPerBar)
    if (bar > 0 && bar % fillEvery === 0 && random.next() < 0.6)
      push(draft, { part: 'drums', pitch: drumNotes.crash, step: bar * stepsPerBar, steps: 4, strength: 0.7 * level })
  }
}

function addFill(draft: Draft, from: number, to: number): void {
  const { random } = draft
  for (let step = from; step < to; step += 1)
    if (random.next() < 0.7) {
      const drum = random.pick(['snare', 'tom', 'floor', 'high'] as const)
      push(draft, { part: 'drums', pitch: drumNotes[drum], step, steps: 1, strength: 0.5 + random.next() * 0.4 })
    }
}

/** Steps at which a line has a mark, over all bars, with how long each lasts. */
function hitsOf({ bars, stepsPerBar }: Draft, line: string): { step: number; steps: number; strength: number }[] {
  const hits: { step: number; steps: number; strength: number }[] = []
  for (let step = 0; step < bars * stepsPerBar; step += 1) {
    const strength = strengths[line[step % line.length] ?? '-']
    if (strength !== undefined) hits.push({ step, steps: stepsPerBar, strength })
  }
  for (const [index, hit] of hits.entries()) hit.steps = (hits[index + 1]?.step ?? bars * stepsPerBar) - hit.step
  return hits
}

const near = (pitch: number, base: number): number => base + ((((pitch - base) % 12) + 12) % 12)

function addBass(draft: Draft): void {
  const { style, random, chords, key, stepsPerBar } = draft
  if (random.next() < 0.08) return
  const loud = 0.6 + random.next() * 0.35
  for (const { step, steps, strength } of hitsOf(draft, random.pick(style.bass))) {
    const chord = chords[Math.floor(step / stepsPerBar)] ?? { root: 0, notes: [0] }
    const interval = step % stepsPerBar === 0 || random.next() < 0.6 ? 0 : random.pick(chord.notes)
    push(draft, {
      part: 'bass',
      pitch: near(key + chord.root + interval, 33),
      step,
      steps: steps * 0.9,
      strength: strength * loud,
    })
  }
}

function addChords(draft: Draft): void {
  const { style, random, chords, key, stepsPerBar } = draft
  const loud = 0.45 + random.next() * 0.4
  const base = 50 + Math.floor(random.next() * 8)
  const held = random.pick([0.4, 0.9, 0.95])
  for (const [index, { step, steps, strength }] of hitsOf(draft, random.pick(style.chords)).entries()) {
    const chord = chords[Math.floor(step / stepsPerBar)] ?? { root: 0, notes: [0, 4, 7] }
    const intervals = style.isBroken === true ? [chord.notes[index % chord.notes.length] ?? 0] : chord.notes
    for (const interval of intervals)
      push(draft, {
        part: 'chords',
        pitch: near(key + chord.root + interval, base),
        step,
        steps: steps * held,
        strength: strength * loud,
      })
  }
}

/** A phrase of one, two or four bars that comes again on other notes, and changes now and then. */
function addLead(draft: Draft): void {
  const { style, random, bars, stepsPerBar, chords, key } = draft
  const loud = 0.6 + random.next() * 0.35
  const length = random.pick([1, 2, 2, 4])
  const phrase = () =>
    Array.from({ length: length * stepsPerBar }, (_, step) => random.next() < placeWeight(style, step) * style.density)
  let rhythm = phrase()
  let degree = 2
  for (let bar = 0; bar < bars; bar += 1) {
    if (bar % (length * 4) === 0 && random.next() < 0.3) rhythm = phrase()
    if (bar % 16 >= 12 && random.next() < 0.3) continue
    const chord = chords[bar] ?? { root: 0, notes: [0, 4, 7] }
    for (let step = 0; step < stepsPerBar; step += 1) {
      if (rhythm[(bar % length) * stepsPerBar + step] !== true) continue
      degree = Math.max(0, Math.min(5, degree + random.pick([-1, -1, 0, 1, 1])))
      const pitch =
        near(key + chord.root, 60) + (chord.notes[degree % chord.notes.length] ?? 0) + 12 * Math.floor(degree / 3)
      const isStrong = step % style.stepsPerBeat === 0
      push(draft, {
        part: 'lead',
        pitch,
        step: bar * stepsPerBar + step,
        steps: random.pick([1, 1.8, 3]),
        strength: loud * (isStrong ? 1 : 0.85),
      })
    }
  }
}

/** Probability of a note, by how strong its place is. */
function placeWeight({ stepsPerBeat, offbeat }: RhythmStyle, step: number): number {
  const place = step % stepsPerBeat
  if (place === 0) return 1
  return place * 2 === stepsPerBeat || stepsPerBeat === 3 ? offbeat : offbeat * 0.5
}
