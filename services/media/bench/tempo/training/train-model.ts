import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trackBeats } from '../../../src/analysis/beat-tracker.ts'
import { cutEnvelopes, envelopeRate, type OnsetEnvelopes } from '../../../src/analysis/onset-envelope.ts'
import { beatProfile, meanBar, meanBeat, phases, shifted } from '../../../src/analysis/tempo/beat-profile.ts'
import { candidatesOf, sharesOf, type Candidate } from '../../../src/analysis/tempo/choose-tempo.ts'
import { beginnings } from '../../../src/analysis/tempo/find-beats.ts'
import type { NetworkWeights } from '../../../src/analysis/tempo/network.ts'
import { metres, type TempoModel } from '../../../src/analysis/tempo/tempo-model.ts'
import { faster } from '../../../src/analysis/tempo/tempo-signature.ts'
import { designRhythms } from '../../../test/music/rhythms/design-rhythms.data.ts'
import { rhythmFonts } from '../../../test/music/rhythms/rhythm-sets.ts'
import { beatScore } from '../beat-score.ts'
import { calibrate, type Judged } from './calibration.ts'
import { playDesignSongs, readDesignBeatless, readDesignPieces, type DesignPiece } from './design-pieces.ts'
import { trainNetwork, type Example, type TrainingOptions } from './train-network.ts'

/** Folder of what was rendered. */
export const piecesFolder = process.env['TEMPO_PIECES'] ?? join(tmpdir(), 'hearth-tempo-pieces')

const networks = 3
const folds = 4
/** Tolerance of a right tempo, as a share. */
const tolerance = 0.04

const forTempo = (seed: number): TrainingOptions => ({
  hidden: 24,
  outputs: metres.length,
  epochs: 30,
  seed,
  decay: 0.4,
  rate: 0.004,
  noise: 0.7,
  rowShare: 0.6,
  vary: (row, shared) => faster(row, shared * 0.1),
})
const forOthers: TrainingOptions = {
  hidden: 8,
  outputs: 1,
  epochs: 40,
  seed: 1,
  decay: 0.2,
  rate: 0.004,
  noise: 0.4,
  rowShare: 1,
}

interface Learnt {
  readonly piece: DesignPiece['score']
  readonly candidates: readonly Candidate[]
  readonly example: Example
}

const isRight = (bpm: number, right: readonly number[]): boolean =>
  right.some((one) => Math.abs(bpm / one - 1) <= tolerance)

function learn({ score, onsets }: DesignPiece): Learnt {
  const candidates = candidatesOf(onsets)
  return {
    piece: score,
    candidates,
    example: {
      rows: candidates.map(({ signature }) => signature),
      right: candidates.flatMap(({ bpm }, index) => (isRight(bpm, score.right) ? [index] : [])),
      output: metres.findIndex(({ metre }) => metre === score.metre),
    },
  }
}

/** Trains the whole model on the design set. */
export async function trainModel(report: (line: string) => void): Promise<TempoModel> {
  const learnt: Learnt[] = []
  const phaseExamples: Example[] = []
  const barExamples: Example[][] = metres.map(() => [])
  const add = (piece: DesignPiece) => {
    learnt.push(learn(piece))
    addBeatExamples(piece, phaseExamples, barExamples)
  }
  for await (const piece of readDesignPieces(piecesFolder)) add(piece)
  for (const piece of playDesignSongs()) add(piece)
  report(`${learnt.length} sounds with a beat`)
  const usable = learnt.filter(({ example }) => example.right.length > 0).map(({ example }) => example)
  const judged = crossValidate(learnt, report)
  const tempo = Array.from({ length: networks }, (_, number) => trainNetwork(usable, forTempo(number + 1)))
  report('tempo: done')
  const beat = await trainBeat(tempo, learnt)
  report('beat: done')
  return {
    tempo,
    beat,
    phase: trainNetwork(phaseExamples, { ...forOthers, hidden: 12 }),
    bars: barExamples.map((examples) => trainNetwork(examples, forOthers)),
    calibration: calibrate(judged),
  }
}

/** Answers for each piece by a network that knows no piece of its style, and by one that knows other pieces of it. */
function crossValidate(learnt: readonly Learnt[], report: (line: string) => void): Judged[] {
  const styles = designRhythms.map(({ name }) => name)
  const ways = {
    'other styles': ({ piece }: Learnt) => (styles.indexOf(piece.style) + 1) % folds,
    'other pieces': ({ piece }: Learnt) => Math.floor(piece.seed / 100) % folds,
  }
  return Object.entries(ways).flatMap(([name, foldOf]) => {
    const answers = Array.from({ length: folds }, (_, fold) => {
      const known = learnt.filter((one) => foldOf(one) !== fold && one.example.right.length > 0)
      const network = trainNetwork(
        known.map(({ example }) => example),
        forTempo(1),
      )
      return learnt.filter((one) => foldOf(one) === fold).map((one) => judge([network], one))
    }).flat()
    const share = answers.filter(({ isRight: right }) => right).length / answers.length
    report(`cross-validation with ${name}: ${(100 * share).toFixed(1)} % right`)
    return answers
  })
}

function judge(tempo: readonly NetworkWeights[], { candidates, piece }: Learnt): Judged {
  const totals = sharesOf(tempo, candidates).map((row) => row.reduce((sum, share) => sum + share, 0))
  const share = Math.max(...totals)
  return { share, isRight: isRight(candidates[totals.indexOf(share)]?.bpm ?? 0, piece.right) }
}

/** Trains the network that tells sound without a beat, by the signature of what is taken for its tempo. */
async function trainBeat(tempo: readonly NetworkWeights[], learnt: readonly Learnt[]): Promise<NetworkWeights> {
  const examples: Example[] = learnt.flatMap((one) => {
    const row = likeliest(tempo, one.candidates)
    return row === undefined ? [] : [{ rows: [row], right: [0], output: 0 }]
  })
  const withBeat = examples.length
  const beatless: OnsetEnvelopes[] = []
  for await (const onsets of readDesignBeatless(join(piecesFolder, 'beatless'), rhythmFonts.design[0]))
    beatless.push(onsets)
  for (const onsets of beatless)
    for (const part of partsOf(onsets)) {
      const row = likeliest(tempo, candidatesOf(part))
      if (row !== undefined) examples.push({ rows: [row], right: [0], output: 1 })
    }
  const weight = Math.sqrt(withBeat / Math.max(1, examples.length - withBeat))
  const weighted = examples.map(({ rows, right, output }) => ({
    rows,
    right,
    output,
    weight: output === 1 ? weight : 1,
  }))
  return trainNetwork(weighted, { ...forOthers, outputs: 2, rowShare: 0, decay: 0.4, noise: 0.6 })
}

/** The whole of a sound and its halves, as there are few sounds without a beat. */
function partsOf(onsets: OnsetEnvelopes): OnsetEnvelopes[] {
  const half = Math.floor(onsets.whole.length / 2)
  return half < 10 * envelopeRate
    ? [onsets]
    : [onsets, cutEnvelopes(onsets, 0, half), cutEnvelopes(onsets, half, 2 * half)]
}

function likeliest(tempo: readonly NetworkWeights[], candidates: readonly Candidate[]): Float64Array | undefined {
  const totals = sharesOf(tempo, candidates).map((row) => row.reduce((sum, share) => sum + share, 0))
  return candidates[totals.indexOf(Math.max(...totals))]?.signature
}

/** Tracked beats this good show where the beat and the bar are. */
const goodBeats = { phase: 0.8, bar: 0.6 } as const

function addBeatExamples(
  { score, onsets }: DesignPiece,
  phaseExamples: Example[],
  barExamples: readonly Example[][],
): void {
  const [bpm, other] = score.right
  if (bpm === undefined || other !== undefined) return
  const tracked = trackBeats(beginnings(onsets), bpm)
  const seconds = (places: readonly number[]) => places.map((place) => onsets.begin + place / envelopeRate)
  const scores = phases.map((phase) => beatScore(seconds(shifted(tracked, phase)), score.beats, 0.05))
  const best = scores.indexOf(Math.max(...scores))
  if ((scores[best] as number) < goodBeats.phase) return
  const profile = beatProfile(onsets, tracked)
  phaseExamples.push({ rows: phases.map((phase) => meanBeat(profile, phase)), right: [best], output: 0 })
  const metre = metres.findIndex((one) => one.metre === score.metre)
  const perBar = metres[metre]?.beats
  if (perBar === undefined) return
  const places = shifted(tracked, phases[best] ?? 0)
  const beats = seconds(places)
  const downbeats = score.downbeats.map((index) => score.beats[index] as number)
  const firsts = Array.from({ length: perBar }, (_, first) =>
    beatScore(
      beats.filter((_beat, index) => index % perBar === first),
      downbeats,
      0.07,
    ),
  )
  const first = firsts.indexOf(Math.max(...firsts))
  if ((firsts[first] as number) < goodBeats.bar) return
  const bars = beatProfile(onsets, places)
  barExamples[metre]?.push({ rows: firsts.map((_, start) => meanBar(bars, perBar, start)), right: [first], output: 0 })
}
