import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { musicalKeys } from '../../../src/music/musical-keys.ts'
import { isInstalled } from '../../../bench/tempo/program.ts'
import type { Score } from './compose.ts'
import { midiFile, type PlayedScore } from './midi-file.ts'

const run = promisify(execFile)

/** Instruments of the Debian packages `fluid-soundfont-gm`, for the pieces to adjust to, and `timgm6mb-soundfont`, for those set aside. */
export const soundFonts = {
  design: '/usr/share/sounds/sf2/FluidR3_GM.sf2',
  heldOut: '/usr/share/sounds/sf2/TimGM6mb.sf2',
} as const

/** Reason why pieces cannot be rendered here; undefined when they can. */
export async function renderObstacle(soundFont: string): Promise<string | undefined> {
  if (!(await isInstalled('fluidsynth'))) return 'fluidsynth is not installed (Debian: fluidsynth)'
  return existsSync(soundFont) ? undefined : `${soundFont} is missing (Debian: fluid-soundfont-gm, timgm6mb-soundfont)`
}

/** Plays a score with a sound font into a WAV file of a folder, and returns its path. */
export async function renderScore(score: Score, folder: string, soundFont: string): Promise<string> {
  const number = musicalKeys.findIndex(({ tonic, mode }) => tonic === score.key.tonic && mode === score.key.mode)
  return playScore(score, join(folder, `${number}-${score.name.replaceAll(/\W+/g, '-')}`), soundFont)
}

/** Plays a score into a WAV file, whose path without its ending is given, and returns the path of the file. */
export async function playScore(score: PlayedScore, path: string, soundFont: string): Promise<string> {
  const [midi, wav] = [`${path}.mid`, `${path}.wav`]
  await writeFile(midi, midiFile(score))
  const words = ['-n', '-i', '-q', '-r', '44100', '-g', '0.5', '-T', 'wav', '-F', wav, soundFont, midi]
  await run('fluidsynth', words, { timeout: 60_000 })
  return wav
}
