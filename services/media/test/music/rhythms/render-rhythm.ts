import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { writeWav } from '../audio-files.ts'
import { playScore } from '../keys/render-scores.ts'
import { addAtRatio, pinkNoise } from '../noises.ts'
import { normalise } from '../play-song.ts'
import type { RhythmScore } from './compose-rhythm.ts'

const run = promisify(execFile)
const rate = 44_100

/** Form in which a piece is heard. */
export interface Version {
  readonly name: 'clean' | 'mp3' | 'phone' | 'dull' | 'noise' | 'phone and noise'
  /** Filters of ffmpeg. */
  readonly filter?: string
  /** Decibels by which the music is louder than pink noise. */
  readonly noise?: number
  /** Bit rate of the MP3 it becomes, kbit/s. */
  readonly kilobits?: number
}

/** The forms; clean is first. */
export const versions: readonly Version[] = [
  { name: 'clean' },
  { name: 'mp3', kilobits: 96 },
  { name: 'phone', filter: 'highpass=f=300:p=2,highpass=f=300:p=2,lowpass=f=3400:p=2,lowpass=f=3400:p=2' },
  { name: 'dull', filter: 'lowpass=f=1000:p=2,lowpass=f=1000:p=2' },
  { name: 'noise', noise: 3 },
  { name: 'phone and noise', filter: 'highpass=f=300:p=2,lowpass=f=3400:p=2', noise: 6 },
]

/** Plays a piece in a form into a file whose path without its ending is given, and returns the path of the file. */
export async function renderRhythm(
  score: RhythmScore,
  version: Version,
  { path, soundFont }: { readonly path: string; readonly soundFont: string },
): Promise<string> {
  const played = await playScore(score, path, soundFont)
  const filter = version.filter === undefined ? [] : ['-af', version.filter]
  const words = [
    '-v',
    'error',
    '-nostdin',
    '-i',
    played,
    ...filter,
    '-ac',
    '1',
    '-ar',
    String(rate),
    '-f',
    'f32le',
    'pipe:1',
  ]
  const { stdout } = await run('ffmpeg', words, { encoding: 'buffer', maxBuffer: 1024 ** 3, timeout: 60_000 })
  const samples = new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))
  if (version.noise !== undefined) addAtRatio(samples, pinkNoise(samples.length, score.seed), version.noise)
  await writeWav(played, rate, [normalise(samples)])
  await rm(`${path}.mid`)
  if (version.kilobits === undefined) return played
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', '-i', played, '-b:a', `${version.kilobits}k`, `${path}.mp3`], {
    timeout: 60_000,
  })
  await rm(played)
  return `${path}.mp3`
}
