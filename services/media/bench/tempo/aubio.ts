import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { timed, type Invited } from './candidate.ts'

const run = promisify(execFile)
const limits = { timeout: 60_000, env: { PATH: process.env['PATH'] ?? '' } }

/** The two programs of aubio-tools; their time includes starting and reading the file. */
export async function aubioPrograms(): Promise<Invited[]> {
  return [
    await program('aubio', {
      name: 'aubio tempo',
      words: (file) => ['tempo', file],
      read: (text) => Number(/([\d.]+) bpm/.exec(text)?.[1] ?? Number.NaN),
    }),
    await program('aubiotrack', {
      name: 'aubiotrack, median interval',
      words: (file) => ['-i', file],
      read: (text) => tempoOfBeats(text.trim().split('\n').map(Number)),
    }),
  ]
}

interface Use {
  readonly name: string
  readonly words: (file: string) => string[]
  readonly read: (text: string) => number
}

async function program(command: string, { name, words, read }: Use): Promise<Invited> {
  const obstacle = await run(command, ['--help'], limits).then(
    () => undefined,
    (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? `${command} is not installed (Debian package aubio-tools)` : undefined,
  )
  if (obstacle !== undefined) return { name, obstacle }
  const estimate = async (file: string) => {
    const bpm = read((await run(command, words(file), limits)).stdout)
    return Number.isFinite(bpm) && bpm > 0 ? bpm : null
  }
  return {
    name,
    estimate: ({ file }) => timed(() => estimate(file)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function tempoOfBeats(beats: readonly number[]): number {
  const intervals = beats.slice(1).map((beat, index) => beat - beats[index]!)
  return 60 / intervals.sort((one, other) => one - other)[Math.floor(intervals.length / 2)]!
}
