import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  beatlessPath,
  designBeatlessSounds,
  heldOutBeatlessSounds,
  renderBeatless,
} from '../../test/music/rhythms/beatless.ts'
import type { RhythmScore } from '../../test/music/rhythms/compose-rhythm.ts'
import { renderRhythm, versions, type Version } from '../../test/music/rhythms/render-rhythm.ts'
import { designPieces, heldOutPieces, rhythmFonts } from '../../test/music/rhythms/rhythm-sets.ts'
import { everyNth, type BenchOptions } from './bench-options.ts'
import type { BenchTrack } from './candidate.ts'

/** A track with its truth: none for a sound without a beat. */
export interface RenderedTrack extends BenchTrack {
  readonly name: string
  readonly score: Omit<RhythmScore, 'notes' | 'programs' | 'tuning'> | undefined
  readonly form: Version['name']
}

/** Renders pieces of a set into a folder, each in one form, and sounds without a beat. */
export async function renderTracks({ set, every }: BenchOptions, folder: string): Promise<RenderedTrack[]> {
  const place = join(folder, set === 'design' ? 'design-files' : 'held-out')
  await mkdir(place, { recursive: true })
  const tracks: RenderedTrack[] = []
  for (const { score, soundFont, form } of everyNth(piecesOf(set), every)) {
    const path = join(place, String(score.seed))
    const kept = `${path}.${form.kilobits === undefined ? 'wav' : 'mp3'}.done`
    const file = await once(kept, () => renderRhythm(score, form, { path, soundFont }))
    tracks.push({ file, seconds: score.seconds, name: score.name, score, form: form.name })
  }
  const [sounds, font] =
    set === 'design' ? [designBeatlessSounds, rhythmFonts.design[0]] : [heldOutBeatlessSounds, rhythmFonts.heldOut]
  for (const sound of everyNth(sounds, every)) {
    const path = beatlessPath(place, sound)
    const file = await once(`${path}.wav.done`, () => renderBeatless(sound, path, font))
    tracks.push({ file, seconds: 40, name: `${sound.kind} ${sound.seed}`, score: undefined, form: 'clean' })
  }
  return tracks
}

/** Pieces of a set; those of the design set are clean and in their other form in turn. */
function piecesOf(set: BenchOptions['set']): readonly { score: RhythmScore; soundFont: string; form: Version }[] {
  if (set === 'set aside') return heldOutPieces
  return designPieces.map(({ score, soundFont, other }) => ({
    score,
    soundFont,
    form: score.seed % 2 === 0 ? (versions[0] ?? other) : other,
  }))
}

/** Renders what was not rendered to its end before; a mark beside the file says that it was. */
async function once(mark: string, render: () => Promise<string>): Promise<string> {
  if (existsSync(mark)) return mark.slice(0, -'.done'.length)
  const file = await render()
  await writeFile(mark, '')
  return file
}
