import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beatlessPath, heldOutBeatlessSounds, renderBeatless } from '../../test/music/rhythms/beatless.ts'
import type { RhythmScore } from '../../test/music/rhythms/compose-rhythm.ts'
import { renderRhythm, type Version } from '../../test/music/rhythms/render-rhythm.ts'
import { heldOutPieces, rhythmFonts } from '../../test/music/rhythms/rhythm-sets.ts'
import type { BenchTrack } from './candidate.ts'

/** A track with its truth: none for a sound without a beat. */
export interface RenderedTrack extends BenchTrack {
  readonly name: string
  readonly score: Omit<RhythmScore, 'notes' | 'programs' | 'tuning'> | undefined
  readonly form: Version['name']
}

/** Renders what is set aside into a folder: each piece in one form, and sounds without a beat. */
export async function renderHeldOut(folder: string): Promise<RenderedTrack[]> {
  await mkdir(folder, { recursive: true })
  const tracks: RenderedTrack[] = []
  for (const { score, soundFont, form } of heldOutPieces) {
    const path = join(folder, String(score.seed))
    const kept = `${path}.${form.kilobits === undefined ? 'wav' : 'mp3'}.done`
    const file = await once(kept, () => renderRhythm(score, form, { path, soundFont }))
    tracks.push({ file, seconds: score.seconds, name: score.name, score, form: form.name })
  }
  for (const sound of heldOutBeatlessSounds) {
    const path = beatlessPath(folder, sound)
    const file = await once(`${path}.wav.done`, () => renderBeatless(sound, path, rhythmFonts.heldOut))
    tracks.push({ file, seconds: 40, name: `${sound.kind} ${sound.seed}`, score: undefined, form: 'clean' })
  }
  return tracks
}

/** Renders what was not rendered to its end before; a mark beside the file says that it was. */
async function once(mark: string, render: () => Promise<string>): Promise<string> {
  if (existsSync(mark)) return mark.slice(0, -'.done'.length)
  const file = await render()
  await writeFile(mark, '')
  return file
}
