import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { temporaryDirectory } from '@hearth/testing'
import type { Score } from '../../test/music/keys/compose.ts'
import { designScores, heldOutScores } from '../../test/music/keys/key-sets.ts'
import { keyPoints, keyRelation, type KeyRelation } from '../../test/music/keys/key-score.ts'
import { renderObstacle, renderScore, soundFonts } from '../../test/music/keys/render-scores.ts'
import { everyNth, type BenchOptions } from '../tempo/bench-options.ts'
import { essentiaProgram, ourKeyProgram, type KeyAnswer, type KeyProgram } from './key-programs.ts'

/** Shares that ours must reach on the pieces set aside. */
const least = { exact: 0.8, weighted: 0.92 }

/** An answer of a program for a piece. */
interface Judged extends KeyAnswer {
  readonly relation: KeyRelation
  readonly seconds: number
}

interface Row {
  readonly name: string
  readonly answers: readonly Judged[]
}

const share = (answers: readonly Judged[], relation: KeyRelation): number =>
  answers.filter((answer) => answer.relation === relation).length / answers.length

const weighted = (answers: readonly Judged[]): number =>
  answers.reduce((sum, { relation }) => sum + keyPoints[relation], 0) / answers.length

const secondsPerMinute = (answers: readonly Judged[]): number =>
  (60 * answers.reduce((sum, one) => sum + one.processorSeconds, 0)) /
  answers.reduce((sum, { seconds }) => sum + seconds, 0)

const relations = ['exact', 'fifth', 'relative', 'parallel', 'other', 'none'] as const

function line({ name, answers }: Row): string {
  const columns = relations.map((relation) => (100 * share(answers, relation)).toFixed(1).padStart(9))
  const count = String(answers.length).padStart(8)
  const totals = (100 * weighted(answers)).toFixed(1).padStart(10) + secondsPerMinute(answers).toFixed(2).padStart(8)
  return `${name.padEnd(34)}${count}${columns.join('')}${totals}\n`
}

/**
 * Prints the table of keys: our estimator and Essentia's on pieces that a program writes and fluidsynth plays. Ours was adjusted
 * to those of the design set alone; those set aside have other seeds, other instruments (another sound font) and styles the others
 * do not have. The points are those of MIREX: 1, a fifth away 0.5, relative 0.3, parallel 0.2. Seconds are those of the processor
 * for a minute of sound, with start and decoding. False when ours misses its limit.
 */
export async function printKeys({ set, every }: BenchOptions): Promise<boolean> {
  const soundFont = set === 'design' ? soundFonts.design : soundFonts.heldOut
  const obstacle = await renderObstacle(soundFont)
  if (obstacle !== undefined) {
    process.stdout.write(`keys: ${obstacle}\n`)
    return false
  }
  const head = relations.map((name) => name.padStart(9)).join('')
  process.stdout.write(`keys of rendered pieces, ${set}; percent\n`)
  process.stdout.write(`${''.padEnd(34)}  pieces${head}  weighted   s/min\n`)
  await using folder = await temporaryDirectory('keys')
  const pieces: { file: string; score: Score }[] = []
  for (const score of everyNth(set === 'design' ? designScores : heldOutScores, every))
    pieces.push({ score, file: await renderScore(score, folder.path, soundFont) })
  const ours = await ourKeyProgram(join(folder.path, 'program'))
  const answers = await answersOf(ours, pieces)
  process.stdout.write(line({ name: ours.name, answers }))
  for (const [name, from, to] of [
    ['  high confidence', 0.75, 2],
    ['  likely', 0.5, 0.75],
    ['  doubtful', 0, 0.5],
  ] as const) {
    const some = answers.filter(({ confidence }) => confidence >= from && confidence < to)
    if (some.length > 0) process.stdout.write(line({ name, answers: some }))
  }
  const essentia = essentiaProgram(process.env['ESSENTIA_JS'])
  process.stdout.write(
    'obstacle' in essentia
      ? `${essentia.name.padEnd(34)}skipped: ${essentia.obstacle}\n`
      : line({ name: essentia.name, answers: await answersOf(essentia, pieces) }),
  )
  const isMet = share(answers, 'exact') >= least.exact && weighted(answers) >= least.weighted
  process.stdout.write(
    `goals for ours: exact ${100 * least.exact}, weighted ${100 * least.weighted}: ${isMet ? 'kept' : 'MISSED'}; ` +
      `${availableParallelism()} cores, load at the end ${loadavg()[0]?.toFixed(1)}\n`,
  )
  return isMet
}

async function answersOf(program: KeyProgram, pieces: readonly { file: string; score: Score }[]): Promise<Judged[]> {
  const answers: Judged[] = []
  for (const { file, score } of pieces) {
    const answer = await program.estimate(file)
    answers.push({ ...answer, relation: keyRelation(answer.key, score.key), seconds: score.seconds })
  }
  return answers
}
