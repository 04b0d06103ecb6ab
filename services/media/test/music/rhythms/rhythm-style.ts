/** Drums by name, with their General MIDI notes. */
export const drumNotes = {
  kick: 36,
  rim: 37,
  snare: 38,
  clap: 39,
  floor: 41,
  hat: 42,
  pedal: 44,
  tom: 45,
  open: 46,
  high: 48,
  crash: 49,
  ride: 51,
  bell: 53,
  tambourine: 54,
  cowbell: 56,
  bongo: 60,
  mute: 62,
  conga: 63,
  tumba: 64,
  timbale: 65,
  agogo: 67,
  guiro: 73,
  cabasa: 69,
  maracas: 70,
  claves: 75,
  block: 76,
  triangle: 81,
  shaker: 82,
} as const
/** Name of a drum. */
export type RhythmDrum = keyof typeof drumNotes

/** A line for each drum; see `Line` of songs: `X` strong, `x` normal, `o` weak, `g` a ghost, `-` a rest. Lines may have several bars. */
export type Groove = Partial<Record<RhythmDrum, string>>

/** A kind of music: its tempo, metre, and who plays when. */
export interface RhythmStyle {
  readonly name: string
  readonly bpm: readonly [slowest: number, fastest: number]
  /** Upper number of the time signature; 6 has two beats of three eighths. */
  readonly metre: number
  readonly beatsPerBar: number
  readonly stepsPerBeat: number
  /** Place of the second step of a pair, from 0.5 straight; the range one is picked of. */
  readonly swing?: readonly [least: number, most: number]
  /** Steps that make a pair; 2 where not given. */
  readonly swingPair?: number
  /** One is played, or two in turns; none for music without drums. */
  readonly grooves: readonly Groove[]
  readonly bass: readonly string[]
  readonly chords: readonly string[]
  /** Chords go up and down one note at a time. */
  readonly isBroken?: boolean
  /** Share of the places for a note of the melody that have one, and of those that lie off the beat. */
  readonly density: number
  readonly offbeat: number
  readonly progressions: readonly string[]
  readonly programs: {
    readonly chords: readonly number[]
    readonly lead: readonly number[]
    readonly bass: readonly number[]
  }
  /** Standard deviation of the players, milliseconds, at most. */
  readonly jitterMs: number
}

const common = ['I V VIm IV', 'I IV V I', 'VIm IV I V', 'I VIm IIm V', 'IIm V I I']
const minor = ['Im bVII bVI V', 'Im IVm bVII bIII', 'Im Im bVI bVII', 'Im IVm Im V7']
const jazz = ['IIm7 V7 IM7 VIm7', 'IM7 VIm7 IIm7 V7', 'Im7 IVm7 V7 Im7']
const blues = ['I7 IV7 I7 V7', 'I7 I7 IV7 I7']

/** Players of a kind of music, by what they play and which chords. */
export const bands = {
  electronic: {
    progressions: [...minor, ...common],
    programs: { chords: [4, 50, 62, 81, 89, 90, 94], lead: [80, 81, 84, 87, 98], bass: [38, 39] },
  },
  rock: {
    progressions: [...common, 'I5 bVII5 IV5 I5', 'I5 IV5 V5 IV5'],
    programs: { chords: [25, 27, 28, 29], lead: [27, 29, 30, 18], bass: [33, 34] },
  },
  metal: {
    progressions: ['I5 bVI5 bVII5 I5', 'I5 bII5 I5 bIII5'],
    programs: { chords: [29, 30], lead: [29, 30], bass: [34, 33] },
  },
  pop: {
    progressions: common,
    programs: { chords: [0, 4, 5, 25, 48], lead: [73, 66, 80, 53, 26], bass: [32, 33, 35] },
  },
  soul: {
    progressions: [...jazz, ...common],
    programs: { chords: [4, 5, 7, 16, 27], lead: [65, 56, 61, 17], bass: [33, 36, 37] },
  },
  latin: {
    progressions: [...minor, ...jazz, 'I IV V IV'],
    programs: { chords: [0, 1, 24], lead: [56, 57, 73, 66, 61], bass: [32, 33, 35] },
  },
  jazz: { progressions: jazz, programs: { chords: [0, 4, 26], lead: [65, 66, 56, 11, 26], bass: [32] } },
  blues: { progressions: blues, programs: { chords: [0, 16, 26, 27], lead: [27, 22, 65], bass: [32, 33] } },
  folk: {
    progressions: ['I V I I', 'I IV V I', ...common],
    programs: { chords: [24, 25, 21, 15], lead: [40, 73, 22, 21, 71], bass: [32, 43] },
  },
  orchestra: {
    progressions: ['I V I IV', 'I VIm IV V', ...minor],
    programs: { chords: [48, 49, 45, 60], lead: [40, 56, 60, 68, 73], bass: [43, 58, 42] },
  },
  piano: { progressions: [...common, ...jazz], programs: { chords: [0, 1, 2], lead: [0, 1], bass: [0, 1] } },
  guitar: { progressions: common, programs: { chords: [24, 25], lead: [24, 25], bass: [24, 25] } },
} as const
