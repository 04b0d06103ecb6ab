import type { Invited } from './candidate.ts'
import { isInstalled, programCandidate, type Program } from './program.ts'

/** The two programs of aubio-tools. */
export async function aubioPrograms(): Promise<Invited[]> {
  const programs: Program[] = [
    {
      name: 'aubio tempo',
      command: 'aubio',
      words: (file) => ['tempo', file],
      read: (text) => Number(/([\d.]+) bpm/.exec(text)?.[1] ?? Number.NaN),
    },
    {
      name: 'aubiotrack, median interval',
      command: 'aubiotrack',
      words: (file) => ['-i', file],
      read: (text) => tempoOfBeats(text.trim().split('\n').map(Number)),
    },
  ]
  return Promise.all(
    programs.map(async (one) =>
      (await isInstalled(one.command))
        ? programCandidate(one)
        : { name: one.name, obstacle: `${one.command} is not installed (Debian package aubio-tools)` },
    ),
  )
}

function tempoOfBeats(beats: readonly number[]): number {
  const intervals = beats.slice(1).map((beat, index) => beat - beats[index]!)
  return 60 / intervals.sort((one, other) => one - other)[Math.floor(intervals.length / 2)]!
}
