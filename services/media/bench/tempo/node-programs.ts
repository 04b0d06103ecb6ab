import { join } from 'node:path'
import type { Candidate } from './candidate.ts'
import { buildProgram } from './build-program.ts'
import { programCandidate } from './program.ts'

/**
 * Options of V8 for programs of ours. In a run of a quarter of a second its last compiler takes more time than it saves; the
 * service, which runs for days, has it.
 */
export const nodeOptions: readonly string[] = ['--no-turbofan']

/** Our estimator as a program of its own, built into a folder: Node, ffmpeg and the tempo for each file. */
export async function ourProgram(folder: string): Promise<Candidate> {
  const program = await buildProgram(join(import.meta.dirname, 'our-tempo-program.ts'), folder)
  return nodeProgram('Hearth, as a program', [...nodeOptions, program])
}

/** The library music-tempo as a program of its own; it expects 44.1 kHz. */
export const musicTempoProgram = (): Candidate =>
  nodeProgram('music-tempo', [join(import.meta.dirname, 'music-tempo-program.ts')])

function nodeProgram(name: string, args: readonly string[]): Candidate {
  const read = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))
  return programCandidate({ name, command: process.execPath, words: (track) => [...args, track], read })
}
