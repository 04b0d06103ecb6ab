import { designBeatless, designSongs } from './design-set.data.ts'
import { heldOutBeatless, heldOutSongs } from './held-out-set.data.ts'
import { playBeatless } from './play-beatless.ts'
import { playSong } from './play-song.ts'
import { rightTempi } from './tempo-map.ts'
import type { Beatless, Song } from './song.ts'

/** A piece with its truth. */
export interface TestTrack {
  readonly name: string
  readonly group: string
  readonly seconds: number
  /** Right answers, BPM; empty when there is no beat. */
  readonly right: readonly number[]
  /** Makes the samples, mono, at a sample rate. */
  readonly play: (rate: number) => Float32Array
}

/** A song as a piece with its truth. */
export function trackOf(song: Song): TestTrack {
  const { name, group, seconds, tempo } = song
  return { name, group, seconds, right: rightTempi(tempo), play: (rate) => playSong(song, rate) }
}

function beatlessTrackOf(sound: Beatless): TestTrack {
  const { name, seconds } = sound
  return { name, group: 'no beat', seconds, right: [], play: (rate) => playBeatless(sound, rate) }
}

/** The pieces the estimator was adjusted to. */
export const designSet: readonly TestTrack[] = [...designSongs.map(trackOf), ...designBeatless.map(beatlessTrackOf)]

/** The pieces it was not. */
export const heldOutSet: readonly TestTrack[] = [...heldOutSongs.map(trackOf), ...heldOutBeatless.map(beatlessTrackOf)]
