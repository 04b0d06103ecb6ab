import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { timed, type Candidate } from './candidate.ts'

const run = promisify(execFile)
const limits = { timeout: 60_000, env: { PATH: process.env['PATH'] ?? '' } }

/** A program that estimates the tempo of a file. */
export interface Program {
  readonly name: string
  readonly command: string
  readonly words: (file: string) => readonly string[]
  /** The tempo in what it prints; NaN for none. */
  readonly read: (text: string) => number
}

/** Runs a program and returns what it prints. */
export async function runProgram(command: string, args: readonly string[]): Promise<string> {
  return (await run(command, args, limits)).stdout
}

/** Returns true for a command that can be started at all. */
export async function isInstalled(command: string): Promise<boolean> {
  return run(command, ['--help'], limits).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
}

/** Runs the program once for each track; its time is that of the whole process: starting, decoding, estimating, ending. */
export function programCandidate({ name, command, words, read }: Program): Candidate {
  const estimate = async (file: string) => {
    const bpm = read(await runProgram(command, words(file)))
    return Number.isFinite(bpm) && bpm > 0 ? bpm : null
  }
  return {
    name,
    estimate: ({ file }) => timed(() => estimate(file)),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
