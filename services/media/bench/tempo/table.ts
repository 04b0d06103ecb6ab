import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { temporaryDirectory } from '@hearth/testing'
import { writeWav } from '../../test/music/audio-files.ts'
import { score } from '../../test/music/score.ts'
import { heldOutSet, type TestTrack } from '../../test/music/test-sets.ts'
import { aubioPrograms } from './aubio.ts'
import { browserLibraries } from './browser-libraries.ts'
import { benchRate, type Answer, type BenchTrack, type Candidate, type Invited } from './candidate.ts'
import { musicTempoProgram, ourProgram } from './node-programs.ts'
import { ourAnalyser } from './ours.ts'

const least = { acc1: 0.75, acc2: 0.92 }

interface Row {
  readonly name: string
  readonly share: (kind: keyof ReturnType<typeof score>) => number
  readonly falseTempi: number
  readonly secondsPerMinute: number
}

const songs = heldOutSet.filter(({ right }) => right.length > 0)
const meanSeconds = heldOutSet.reduce((sum, track) => sum + track.seconds, 0) / heldOutSet.length
const beatless = heldOutSet.filter(({ right }) => right.length === 0)

async function measure(candidate: Candidate, tracks: ReadonlyMap<TestTrack, BenchTrack>): Promise<Row> {
  const answers = new Map<TestTrack, Answer>()
  for (const [test, track] of tracks) answers.set(test, await candidate.estimate(track))
  const bpmOf = (track: TestTrack) => answers.get(track)?.bpm ?? null
  const seconds = [...answers.values()].reduce((sum, answer) => sum + answer.seconds, 0)
  return {
    name: candidate.name,
    share: (kind) => songs.filter((track) => score(bpmOf(track), track.right)[kind]).length / songs.length,
    falseTempi: beatless.filter((track) => bpmOf(track) !== null).length,
    secondsPerMinute: (60 * seconds) / heldOutSet.reduce((sum, track) => sum + track.seconds, 0),
  }
}

function line({ name, share, falseTempi, secondsPerMinute }: Row): string {
  const percent = (['acc1', 'acc2', 'folded', 'exact'] as const).map((kind) =>
    (100 * share(kind)).toFixed(1).padStart(8),
  )
  const falseShare = `${falseTempi}/${beatless.length}`.padStart(8)
  return `${name.padEnd(38)}${percent.join('')}${falseShare}${secondsPerMinute.toFixed(2).padStart(10)}\n`
}

/**
 * Prints the table of tempi: our estimator, aubio and three libraries on the held-out music, in one run. False when
 * ours is below what the tests ask for. Each is timed as a program that is started for each file and reads it itself; the two
 * libraries for browsers get one browser for all files. The second row is what the running service takes, which is started
 * already.
 *
 * Acc1: within 4 % of the tempo. Acc2: of it, its half, third, double or triple. Folded: within 4 % after both are brought
 * into 70 to 180. ±1: the same within 1 BPM. No answer counts as wrong. False: sounds without a beat that got a tempo.
 */
export async function printTempi(): Promise<boolean> {
  await using folder = await temporaryDirectory('tempo')
  const tracks = new Map<TestTrack, BenchTrack>()
  for (const [number, track] of heldOutSet.entries()) {
    const samples = track.play(benchRate)
    const file = await writeWav(join(folder.path, `${number}.wav`), benchRate, [samples])
    tracks.set(track, { file, seconds: track.seconds })
  }
  process.stdout.write(
    `${songs.length} pieces with a beat, ${beatless.length} without, held out; percent; whole processes, seconds a minute of ${Math.round(meanSeconds)} s files\n`,
  )
  process.stdout.write(`${''.padEnd(38)}    Acc1    Acc2  folded      ±1   false   s/min\n`)
  const invited: Invited[] = [ourProgram(), ourAnalyser(), ...(await aubioPrograms()), musicTempoProgram()]
  invited.push(...(await browserLibraries()))
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
  const isMet = rows
    .slice(0, 2)
    .every((row) => row.share('acc1') >= least.acc1 && row.share('acc2') >= least.acc2 && row.falseTempi === 0)
  process.stdout.write(
    `limit for ours: Acc1 ${100 * least.acc1}, Acc2 ${100 * least.acc2}, false 0: ${isMet ? 'kept' : 'MISSED'}\n` +
      `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, load at the end ${loadavg()[0]?.toFixed(1)}; Node ${process.versions.node}\n`,
  )
  return isMet
}
