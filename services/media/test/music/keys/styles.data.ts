/** Chord of a progression: semitones of its root above the tonic, and the semitones of its notes above the root. */
export interface Chord {
  readonly root: number
  readonly notes: readonly number[]
}

const [major, minor, dominant, majorSeventh, minorSeventh, halfDiminished, fifth, suspended] = [
  [0, 4, 7],
  [0, 3, 7],
  [0, 4, 7, 10],
  [0, 4, 7, 11],
  [0, 3, 7, 10],
  [0, 3, 6, 10],
  [0, 7, 12],
  [0, 5, 7],
] as const

const qualities: Readonly<Record<string, readonly number[]>> = {
  '': major,
  m: minor,
  '7': dominant,
  M7: majorSeventh,
  m7: minorSeventh,
  h: halfDiminished,
  '5': fifth,
  s: suspended,
}

const degrees: Readonly<Record<string, number>> = {
  I: 0,
  bII: 1,
  II: 2,
  bIII: 3,
  III: 4,
  IV: 5,
  bV: 6,
  V: 7,
  bVI: 8,
  VI: 9,
  bVII: 10,
  VII: 11,
}

/** Reads `I VIm IV V7`: degrees of the scale in Roman numerals, each with the quality of its chord. */
export function readProgression(text: string): Chord[] {
  return text.split(' ').map((word) => {
    const [, degree = 'I', quality = ''] = /^(b?[IV]+)(.*)$/.exec(word) ?? []
    return { root: degrees[degree] ?? 0, notes: qualities[quality] ?? major }
  })
}

/** A kind of music: who plays what, and which chords. */
export interface Style {
  readonly name: string
  readonly bpm: readonly [slowest: number, fastest: number]
  readonly beatsPerBar: 3 | 4
  /** Progressions of a bar each chord, by mode. */
  readonly major: readonly string[]
  readonly minor: readonly string[]
  /** General MIDI programs, from 0; one is picked. */
  readonly chords: readonly number[]
  readonly lead: readonly number[]
  readonly bass: readonly number[]
  /** Steps of a bar at which the chord is struck, of 4 a beat. */
  readonly strum: readonly number[]
  readonly bassSteps: readonly number[]
  /** Share of the steps of half a beat on which the lead plays. */
  readonly density: number
  /** Drums by their General MIDI note: a character a step, `x` strong and `o` weak. */
  readonly drums: Readonly<Record<number, string>>
  /** Loudness of the drums, 0 to 1. */
  readonly drumLevel: number
}

const four = { 36: 'x---x---x---x---', 38: '----x-------x---', 42: '--x---x---x---x-', 46: '------o-------o-' }
const rock = { 36: 'x-----x-x-x-----', 38: '----x-------x---', 42: 'x-o-x-o-x-o-x-o-' }
const broken = { 36: 'x---------x-----', 38: '----x-------x--o', 42: 'x-x-x-x-x-x-x-x-' }
const slow = { 36: 'x-------x-------', 37: '----x-------x---', 42: 'x-o-x-o-x-o-x-o-' }
const swing = { 51: 'x---x--ox---x--o', 44: '----x-------x---', 36: 'o---o---o---o---' }
const waltz = { 36: 'x-----------', 42: '----o---o---' }
const trap = { 36: 'x-----x---------', 38: '--------x-------', 42: 'x-x-xoxox-x-xxxx' }
const beats = [0, 4, 8, 12] as const
const eighths = [0, 2, 4, 6, 8, 10, 12, 14] as const

// A loop that begins on the sixth degree and never rests on the first is left out: people call it minor, and both are right.
const popMajor = ['I V VIm IV', 'I VIm IV V', 'I IV VIm V', 'I IIIm IV V', 'I IV I V', 'IV I V I']
const popMinor = [
  'Im bVI bIII bVII',
  'Im bVII bVI bVII',
  'Im IVm bVII bIII',
  'Im bVI IVm V',
  'Im bIII bVII IVm',
  'Im IVm Im V',
]
const clubMajor = ['I I IV IV', 'I VIm I V', 'I IIIm VIm IV', 'IV V I I', 'I bVII I IV']
const clubMinor = ['Im Im bVI bVII', 'Im Im Im Im', 'Im bVII Im bVI', 'Im Vm bVI IVm', 'Im bIII Im bVII', 'Im IV Im IV']
const jazzMajor = ['IIm7 V7 IM7 IM7', 'IM7 VIm7 IIm7 V7', 'IM7 IVM7 IIIm7 VI7 IIm7 V7 IM7 V7', 'IM7 bIIIh IIm7 V7']
const jazzMinor = ['IIh V7 Im7 Im7', 'Im7 IVm7 IIh V7', 'IVm7 bVII7 bIIIM7 bVIM7 IIh V7 Im7 V7']
const oldMajor = ['I IV V I', 'I V VIm IIIm IV I IV V', 'I IIm V I', 'I VIm IIm V', 'I V I IV I V V I']
const oldMinor = ['Im IVm V Im', 'Im bVII bVI V', 'Im IVm bVII bIII bVI IIh V Im', 'Im V Im V', 'Im bVI IIh V']
const bluesMajor = ['I7 I7 I7 I7 IV7 IV7 I7 I7 V7 IV7 I7 V7', 'I7 IV7 I7 V7']
const bluesMinor = ['Im7 Im7 Im7 Im7 IVm7 IVm7 Im7 Im7 bVI7 V7 Im7 V7', 'Im7 IVm7 Im7 V7']

/** Styles of the pieces the estimator was adjusted to. */
export const designStyles: readonly Style[] = [
  {
    name: 'pop',
    bpm: [90, 125],
    beatsPerBar: 4,
    major: popMajor,
    minor: popMinor,
    chords: [0, 4, 25],
    lead: [80, 52, 73, 65],
    bass: [33, 34],
    strum: [0, 6, 8, 14],
    bassSteps: [0, 6, 8, 14],
    density: 0.5,
    drums: rock,
    drumLevel: 0.8,
  },
  {
    name: 'ballad',
    bpm: [60, 80],
    beatsPerBar: 4,
    major: popMajor,
    minor: popMinor,
    chords: [0, 5],
    lead: [40, 68, 53],
    bass: [32, 35],
    strum: [0, 4, 8, 12],
    bassSteps: [0, 8],
    density: 0.4,
    drums: slow,
    drumLevel: 0.45,
  },
  {
    name: 'house',
    bpm: [118, 128],
    beatsPerBar: 4,
    major: clubMajor,
    minor: clubMinor,
    chords: [90, 16, 4],
    lead: [81, 87],
    bass: [38, 39],
    strum: [2, 6, 10, 14],
    bassSteps: [2, 6, 10, 14, 15],
    density: 0.3,
    drums: four,
    drumLevel: 1,
  },
  {
    name: 'trance',
    bpm: [132, 142],
    beatsPerBar: 4,
    major: clubMajor,
    minor: popMinor,
    chords: [90, 95],
    lead: [81, 84],
    bass: [38],
    strum: eighths,
    bassSteps: [2, 3, 6, 7, 10, 11, 14, 15],
    density: 0.7,
    drums: four,
    drumLevel: 1,
  },
  {
    name: 'rock',
    bpm: [110, 150],
    beatsPerBar: 4,
    major: ['I5 IV5 V5 IV5', 'I5 bVII5 IV5 I5', 'I5 V5 IV5 V5'],
    minor: ['I5 bVI5 bVII5 I5', 'I5 bIII5 bVII5 IV5', 'I5 bVII5 bVI5 bVII5'],
    chords: [29, 30],
    lead: [29, 30, 28],
    bass: [33, 34],
    strum: eighths,
    bassSteps: eighths,
    density: 0.5,
    drums: rock,
    drumLevel: 1,
  },
  {
    name: 'folk',
    bpm: [85, 115],
    beatsPerBar: 4,
    major: oldMajor,
    minor: oldMinor,
    chords: [24, 25],
    lead: [73, 40, 21],
    bass: [32],
    strum: [0, 4, 6, 10, 12],
    bassSteps: [0, 8],
    density: 0.6,
    drums: {},
    drumLevel: 0,
  },
  {
    name: 'jazz',
    bpm: [100, 180],
    beatsPerBar: 4,
    major: jazzMajor,
    minor: jazzMinor,
    chords: [0, 26],
    lead: [66, 56, 11],
    bass: [32],
    strum: [0, 7],
    bassSteps: beats,
    density: 0.6,
    drums: swing,
    drumLevel: 0.5,
  },
  {
    name: 'strings',
    bpm: [70, 110],
    beatsPerBar: 3,
    major: oldMajor,
    minor: oldMinor,
    chords: [48, 6],
    lead: [40, 71, 73],
    bass: [42, 43],
    strum: [0, 4, 8],
    bassSteps: [0],
    density: 0.5,
    drums: {},
    drumLevel: 0,
  },
]

/** Styles that only pieces set aside have; those have the others too. */
export const furtherStyles: readonly Style[] = [
  {
    name: 'drum and bass',
    bpm: [170, 176],
    beatsPerBar: 4,
    major: clubMajor,
    minor: clubMinor,
    chords: [89, 91],
    lead: [81, 80],
    bass: [39, 38],
    strum: [0],
    bassSteps: [0, 3, 10],
    density: 0.35,
    drums: broken,
    drumLevel: 1,
  },
  {
    name: 'trap',
    bpm: [68, 75],
    beatsPerBar: 4,
    major: popMajor,
    minor: clubMinor,
    chords: [88, 10],
    lead: [11, 80, 75],
    bass: [38],
    strum: [0, 8],
    bassSteps: [0, 6, 11],
    density: 0.4,
    drums: trap,
    drumLevel: 1,
  },
  {
    name: 'blues',
    bpm: [90, 130],
    beatsPerBar: 4,
    major: bluesMajor,
    minor: bluesMinor,
    chords: [16, 26, 0],
    lead: [27, 22],
    bass: [33],
    strum: [0, 6, 12],
    bassSteps: beats,
    density: 0.5,
    drums: swing,
    drumLevel: 0.7,
  },
  {
    name: 'waltz',
    bpm: [140, 180],
    beatsPerBar: 3,
    major: oldMajor,
    minor: oldMinor,
    chords: [21, 0],
    lead: [40, 21, 71],
    bass: [32, 58],
    strum: [4, 8],
    bassSteps: [0],
    density: 0.6,
    drums: waltz,
    drumLevel: 0.4,
  },
]
