import { join } from 'node:path'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { temporaryDirectory } from '@hearth/testing'
import { renderObstacle } from '../../test/music/keys/render-scores.ts'
import { rhythmFonts } from '../../test/music/rhythms/rhythm-sets.ts'
import { score as scoreOf } from '../../test/music/score.ts'
import { aubioPrograms } from './aubio.ts'
import { beatTable } from './beat-table.ts'
import { browserLibraries } from './browser-libraries.ts'
import type { BenchOptions } from './bench-options.ts'
import type { Answer, Candidate, Invited } from './candidate.ts'
import { musicTempoProgram, ourProgram } from './node-programs.ts'
import { ourAnalyser } from './ours.ts'
import { isInstalled } from './program.ts'
import { renderTracks, type RenderedTrack } from './rendered-tracks.ts'

/** Shares that ours must reach on what is set aside: clean, and band-limited or noisy. */
const least = { clean: { acc1: 0.92, acc2: 0.98 }, hard: { acc1: 0.85, acc2: 0.95 }, secondsPerMinute: 0.35 }

interface Judged {
  readonly track: RenderedTrack
  readonly answer: Answer
}

const isHard = ({ form }: RenderedTrack): boolean => form !== 'clean' && form !== 'mp3'

function share(judged: readonly Judged[], kind: 'acc1' | 'acc2'): number {
  const right = judged.filter(({ track, answer }) => scoreOf(answer.bpm, track.score?.right ?? [])[kind])
  return right.length / Math.max(1, judged.length)
}

interface Row {
  readonly name: string
  readonly clean: readonly Judged[]
  readonly hard: readonly Judged[]
  readonly beatless: readonly Judged[]
  readonly secondsPerMinute: number
}

async function measure(candidate: Candidate, tracks: readonly RenderedTrack[]): Promise<Row> {
  const judged: Judged[] = []
  for (const track of tracks) judged.push({ track, answer: await candidate.estimate(track) })
  const total = judged.reduce((sum, { answer }) => sum + answer.processorSeconds, 0)
  return {
    name: candidate.name,
    clean: judged.filter(({ track }) => track.score !== undefined && !isHard(track)),
    hard: judged.filter(({ track }) => track.score !== undefined && isHard(track)),
    beatless: judged.filter(({ track }) => track.score === undefined),
    secondsPerMinute: (60 * total) / tracks.reduce((sum, { seconds }) => sum + seconds, 0),
  }
}

const falseTempi = ({ beatless }: Row): number => beatless.filter(({ answer }) => answer.bpm !== null).length

function line(row: Row): string {
  const shares = [row.clean, row.hard].flatMap((judged) => [share(judged, 'acc1'), share(judged, 'acc2')])
  const percent = shares.map((value) => (100 * value).toFixed(1).padStart(8))
  const wrong = `${falseTempi(row)}/${row.beatless.length}`.padStart(8)
  return `${row.name.padEnd(38)}${percent.join('')}${wrong}${row.secondsPerMinute.toFixed(2).padStart(10)}\n`
}

/** Prints how many answers of each confidence are right. */
function printReliability({ clean, hard }: Row): void {
  process.stdout.write('confidence      answers   mean  right\n')
  for (const [from, to] of [
    [0, 0.5],
    [0.5, 0.7],
    [0.7, 0.8],
    [0.8, 0.9],
    [0.9, 1.01],
  ] as const) {
    const some = [...clean, ...hard].filter(({ answer: { bpm, confidence } }) => {
      return bpm !== null && (confidence ?? 0) >= from && (confidence ?? 0) < to
    })
    const mean = some.reduce((sum, { answer }) => sum + (answer.confidence ?? 0), 0) / Math.max(1, some.length)
    const name = `${from.toFixed(1)} to ${Math.min(1, to).toFixed(1)}`.padEnd(14)
    const columns = [mean, share(some, 'acc1')].map((value) => (100 * value).toFixed(1).padStart(7)).join('')
    process.stdout.write(`${name}${String(some.length).padStart(9)}${columns}\n`)
  }
}

/**
 * Prints the tables of tempi: our estimator, aubio and libraries on rendered pieces, in one run. False when ours misses its
 * goals. Each is timed as a program that is started for each file and decodes it itself; the two libraries for browsers get one
 * browser for all files, whose processor time is not counted. The second row is what the running service takes, which is started
 * already, and finds the key and the hash in the same go.
 *
 * Acc1: within 4 % of the tempo. Acc2: of it, its half, third, double or triple. No answer counts as wrong. False: sounds
 * without a beat that got a tempo.
 */
export async function printTempi(options: BenchOptions): Promise<boolean> {
  const speech = (await isInstalled('espeak-ng')) ? undefined : 'espeak-ng is not installed (Debian: espeak-ng)'
  const obstacle =
    (await renderObstacle(options.set === 'design' ? rhythmFonts.design[0] : rhythmFonts.heldOut)) ?? speech
  if (obstacle !== undefined) {
    process.stdout.write(`tempi: ${obstacle}\n`)
    return false
  }
  await using folder = await temporaryDirectory('tempo')
  const tracks = await renderTracks(options, options.folder ?? folder.path)
  const counts = [false, true].map(
    (hard) => tracks.filter((track) => track.score !== undefined && isHard(track) === hard).length,
  )
  const mean = tracks.reduce((sum, { seconds }) => sum + seconds, 0) / tracks.length
  process.stdout.write(
    `${counts[0]} pieces clean or as MP3, ${counts[1]} band-limited or noisy, ${options.set}; percent; seconds of the processor a minute of ${Math.round(mean)} s files\n` +
      `${''.padEnd(38)}    Acc1    Acc2  h.Acc1  h.Acc2   false   s/min\n`,
  )
  const invited: Invited[] = [await ourProgram(join(folder.path, 'program')), ourAnalyser()]
  invited.push(...(await aubioPrograms()), musicTempoProgram())
  if (options.withBrowser) invited.push(...(await browserLibraries()))
  const rows: Row[] = []
  for (const one of invited) {
    if ('obstacle' in one) {
      process.stdout.write(`${one.name.padEnd(38)}skipped: ${one.obstacle}\n`)
      continue
    }
    await using candidate = one
    const row = await measure(candidate, tracks)
    rows.push(row)
    process.stdout.write(line(row))
  }
  const [program, service] = rows as [Row, Row]
  printReliability(service)
  process.stdout.write(await beatTable(tracks))
  const isMet = [program, service].every(isKept)
  process.stdout.write(
    `goals for ours: clean ${100 * least.clean.acc1}/${100 * least.clean.acc2}, hard ${100 * least.hard.acc1}/${100 * least.hard.acc2}, false 0, ${least.secondsPerMinute} s/min: ${isMet ? 'kept' : 'MISSED'}\n` +
      `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, load at the end ${loadavg()[0]?.toFixed(1)}; Node ${process.versions.node}\n`,
  )
  return isMet
}

function isKept(row: Row): boolean {
  const parts = (['clean', 'hard'] as const).every((part) =>
    (['acc1', 'acc2'] as const).every((kind) => share(row[part], kind) >= least[part][kind]),
  )
  return parts && falseTempi(row) === 0 && row.secondsPerMinute <= least.secondsPerMinute
}
