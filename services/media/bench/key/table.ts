import { performance } from 'node:perf_hooks'
import { temporaryDirectory } from '@hearth/testing'
import { createAnalyser } from '../../src/analysis/analyse-audio.ts'
import type { MusicalKey } from '../../src/music/musical-keys.ts'
import type { Score } from '../../test/music/keys/compose.ts'
import { designScores, heldOutScores } from '../../test/music/keys/key-sets.ts'
import { keyPoints, keyRelation, type KeyRelation } from '../../test/music/keys/key-score.ts'
import { renderObstacle, renderScore, soundFonts } from '../../test/music/keys/render-scores.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'

/** Shares that ours must reach on the pieces set aside. */
const least = { exact: 0.8, weighted: 0.92 }

interface Answer {
  readonly relation: KeyRelation
  readonly confidence: number
}

interface Row {
  readonly name: string
  readonly answers: readonly Answer[]
}

const share = (answers: readonly Answer[], relation: KeyRelation): number =>
  answers.filter((answer) => answer.relation === relation).length / answers.length

const weighted = (answers: readonly Answer[]): number =>
  answers.reduce((sum, { relation }) => sum + keyPoints[relation], 0) / answers.length

function line({ name, answers }: Row): string {
  const columns = (['exact', 'fifth', 'relative', 'parallel', 'other', 'none'] as const).map((relation) =>
    (100 * share(answers, relation)).toFixed(1).padStart(9),
  )
  const count = String(answers.length).padStart(8)
  return `${name.padEnd(34)}${count}${columns.join('')}${(100 * weighted(answers)).toFixed(1).padStart(10)}\n`
}

/**
 * Prints the table of keys: our estimator on pieces that a program writes and fluidsynth plays. It was adjusted to those of the
 * design set alone; those set aside have other seeds, other instruments (another sound font) and styles the others do not have.
 * The points are those of MIREX: 1, a fifth away 0.5, relative 0.3, parallel 0.2. False when ours misses its limit.
 */
export async function printKeys(): Promise<boolean> {
  const obstacles = await Promise.all(Object.values(soundFonts).map((font) => renderObstacle(font)))
  const obstacle = obstacles.find((one) => one !== undefined)
  if (obstacle !== undefined) {
    process.stdout.write(`keys: ${obstacle}\n`)
    return false
  }
  const head = ['pieces', 'exact', 'fifth', 'relative', 'parallel', 'other', 'none'].map((name) =>
    name.padStart(name === 'pieces' ? 8 : 9),
  )
  process.stdout.write(`keys of rendered pieces; percent\n${''.padEnd(34)}${head.join('')}  weighted\n`)
  const begin = performance.now()
  await answersOf(designScores, soundFonts.design).then((answers) =>
    process.stdout.write(line({ name: 'design set', answers })),
  )
  const answers = await answersOf(heldOutScores, soundFonts.heldOut)
  process.stdout.write(line({ name: 'set aside', answers }))
  for (const [name, from, to] of [
    ['set aside, high confidence', 0.75, 2],
    ['set aside, likely', 0.5, 0.75],
    ['set aside, doubtful', 0, 0.5],
  ] as const) {
    const some = answers.filter(({ confidence }) => confidence >= from && confidence < to)
    if (some.length > 0) process.stdout.write(line({ name, answers: some }))
  }
  const isMet = share(answers, 'exact') >= least.exact && weighted(answers) >= least.weighted
  process.stdout.write(
    `limit on the pieces set aside: exact ${100 * least.exact}, weighted ${100 * least.weighted}: ${isMet ? 'kept' : 'MISSED'}; ` +
      `${((performance.now() - begin) / 60_000).toFixed(1)} minutes\n`,
  )
  return isMet
}

async function answersOf(scores: readonly Score[], soundFont: string): Promise<Answer[]> {
  await using folder = await temporaryDirectory('keys')
  const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1 })
  const { signal } = new AbortController()
  const answers: Answer[] = []
  for (const score of scores) {
    const file = await renderScore(score, folder.path, soundFont)
    const { key, keyConfidence } = await analyser.analyse(file, { signal, timeoutMs: 60_000, durationSeconds: null })
    answers.push(answerOf(key, score.key, keyConfidence ?? 0))
  }
  await analyser.close()
  return answers
}

function answerOf(key: number | null, right: MusicalKey, confidence: number): Answer {
  return { relation: keyRelation(key, right), confidence }
}
