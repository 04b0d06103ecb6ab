import { composeRhythm, type RhythmScore } from './compose-rhythm.ts'
import { designRhythms } from './design-rhythms.data.ts'
import { furtherRhythms } from './further-rhythms.data.ts'
import { versions, type Version } from './render-rhythm.ts'

/** Sound fonts of the Debian packages `fluid-soundfont-gm` and `musescore-general-soundfont-small` for the pieces to adjust to, and `timgm6mb-soundfont` for those set aside. */
export const rhythmFonts = {
  design: ['/usr/share/sounds/sf2/FluidR3_GM.sf2', '/usr/share/sounds/sf3/MuseScore_General_Lite.sf3'],
  heldOut: '/usr/share/sounds/sf2/TimGM6mb.sf2',
} as const

/** A piece with the instruments it is played on, and the form it is heard in beside the clean one. */
export interface RhythmPiece {
  readonly score: RhythmScore
  readonly soundFont: string
  readonly other: Version
}

const rounds = 11

const formOf = (seed: number): Version => versions[1 + (seed % (versions.length - 1))] as Version

/** The pieces the tempo estimator was made with: each style so many times. Every fourth is played on other instruments. */
export const designPieces: readonly RhythmPiece[] = Array.from({ length: rounds }, (_, round) =>
  designRhythms.map((style, number) => {
    const seed = 1000 + round * 100 + number
    const score = composeRhythm(style, seed, 36 + (seed % 5) * 4)
    return { score, soundFont: rhythmFonts.design[round % 4 === 3 ? 1 : 0], other: formOf(seed * 7 + round * 3) }
  }),
).flat()

/** Forms in which the rounds of the pieces set aside are heard. */
const clean: Version = { name: 'clean' }
const heldOutForms = ['clean', 'phone', 'mp3', 'noise', 'dull'] as const

/** The pieces set aside: other styles, patterns, seeds, and instruments. Nothing was adjusted to them. */
export const heldOutPieces: readonly (Omit<RhythmPiece, 'other'> & { readonly form: Version })[] = heldOutForms.flatMap(
  (name, round) =>
    furtherRhythms.map((style, number) => {
      const seed = 700_000 + round * 100 + number
      const form = versions.find((version) => version.name === name) ?? clean
      return { score: composeRhythm(style, seed, 45 + (seed % 5) * 6), soundFont: rhythmFonts.heldOut, form }
    }),
)
