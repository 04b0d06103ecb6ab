import { join } from 'node:path'
import type { Candidate } from './candidate.ts'
import { programCandidate } from './program.ts'

/** Our estimator as a program of its own: Node, ffmpeg, hash and analysis for each file. */
export const ourProgram = (): Candidate => nodeProgram('ours', 'our-program.ts')

/** The library music-tempo as a program of its own; it expects 44.1 kHz. */
export const musicTempoProgram = (): Candidate => nodeProgram('music-tempo', 'music-tempo-program.ts')

function nodeProgram(name: string, file: string): Candidate {
  const program = join(import.meta.dirname, file)
  const read = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))
  return programCandidate({ name, command: process.execPath, words: (track) => [program, track], read })
}
