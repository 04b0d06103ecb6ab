import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { analysisRate } from '../../../src/analysis/audio-pieces.ts'
import { onsetEnvelopes, type OnsetEnvelopes } from '../../../src/analysis/onset-envelope.ts'
import { addAtRatio, pinkNoise } from '../../../test/music/noises.ts'
import { playScore } from '../../../test/music/keys/render-scores.ts'
import { designBeatless, designSongs } from '../../../test/music/design-set.data.ts'
import { playBeatless } from '../../../test/music/play-beatless.ts'
import { normalise, playSong } from '../../../test/music/play-song.ts'
import { beatClock, rightTempi } from '../../../test/music/tempo-map.ts'
import { beatlessPath, designBeatlessSounds, renderBeatless } from '../../../test/music/rhythms/beatless.ts'
import type { RhythmScore } from '../../../test/music/rhythms/compose-rhythm.ts'
import { versions, type Version } from '../../../test/music/rhythms/render-rhythm.ts'
import { designPieces } from '../../../test/music/rhythms/rhythm-sets.ts'

const run = promisify(execFile)

/** A piece of the design set as it is heard, with its truth. */
export interface DesignPiece {
  readonly score: Omit<RhythmScore, 'notes' | 'programs' | 'tuning'>
  readonly onsets: OnsetEnvelopes
}

/** Reads the pieces of the design set, each clean and in one other form; what was read once is kept in a folder. */
export async function* readDesignPieces(folder: string): AsyncGenerator<DesignPiece> {
  await mkdir(folder, { recursive: true })
  for (const { score, soundFont, other } of designPieces) {
    const path = join(folder, String(score.seed))
    const forms: readonly Version[] = [versions[0] as Version, other]
    const names = forms.map((_, number) => `${path}.${number}.bin`)
    if (names.some((name) => !existsSync(name))) {
      const wav = await playScore(score, path, soundFont)
      for (const [number, form] of forms.entries())
        await keep(names[number] as string, await hear(wav, form, { path, seed: score.seed }))
      await Promise.all([rm(wav), rm(`${path}.mid`)])
    }
    for (const name of names) yield { score, onsets: deserialize(await readFile(name)) as OnsetEnvelopes }
  }
}

/** Pieces of the design set that are played by our own synthesiser: their metre is not known. */
export function* playDesignSongs(): Generator<DesignPiece> {
  for (const [number, song] of designSongs.entries()) {
    const { name, group, seconds, tempo } = song
    const clock = beatClock(tempo, seconds)
    const times = Array.from({ length: Math.ceil(seconds * 4) }, (_, beat) => clock(beat))
    const beats = times.filter((time, beat) => time < seconds - 0.5 && time >= (times[beat - 1] ?? -1))
    const score = {
      name,
      style: group,
      seed: number * 100,
      seconds,
      right: rightTempi(tempo),
      isSteady: 'bpm' in tempo,
      metre: 0,
    }
    const onsets = onsetEnvelopes(playSong(song, analysisRate), analysisRate)
    yield { score: { ...score, beats, downbeats: [] }, onsets }
  }
}

/** Reads the sounds without a beat of the design set. */
export async function* readDesignBeatless(folder: string, soundFont: string): AsyncGenerator<OnsetEnvelopes> {
  await mkdir(folder, { recursive: true })
  for (const sound of designBeatlessSounds) {
    const path = beatlessPath(folder, sound)
    if (!existsSync(`${path}.bin`)) {
      const wav = await renderBeatless(sound, path, soundFont)
      await keep(`${path}.bin`, await decode(wav, []))
      await rm(wav)
    }
    yield deserialize(await readFile(`${path}.bin`)) as OnsetEnvelopes
  }
  for (const sound of designBeatless) yield onsetEnvelopes(playBeatless(sound, analysisRate), analysisRate)
}

async function hear(wav: string, form: Version, { path, seed }: { path: string; seed: number }): Promise<Float32Array> {
  if (form.kilobits === undefined) {
    const samples = await decode(wav, form.filter === undefined ? [] : ['-af', form.filter])
    if (form.noise !== undefined) addAtRatio(samples, pinkNoise(samples.length, seed), form.noise)
    return normalise(samples)
  }
  const mp3 = `${path}.mp3`
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', '-i', wav, '-b:a', `${form.kilobits}k`, mp3], {
    timeout: 60_000,
  })
  const samples = await decode(mp3, [])
  await rm(mp3)
  return normalise(samples)
}

async function decode(file: string, filter: readonly string[]): Promise<Float32Array> {
  const output = ['-ac', '1', '-ar', String(analysisRate), '-f', 'f32le', 'pipe:1']
  const words = ['-v', 'error', '-nostdin', '-i', file, ...filter, ...output]
  const { stdout } = await run('ffmpeg', words, { encoding: 'buffer', maxBuffer: 1024 ** 3, timeout: 60_000 })
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))
}

async function keep(name: string, samples: Float32Array): Promise<void> {
  await writeFile(`${name}.new`, serialize(onsetEnvelopes(samples, analysisRate)))
  await rename(`${name}.new`, name)
}
