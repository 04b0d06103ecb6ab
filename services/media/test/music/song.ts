import type { DrumName } from './drum-voices.ts'
import type { Tempo } from './tempo-map.ts'
import type { ToneName } from './tone-voices.ts'

/**
 * One line of music, a character a step: `X` strong, `x` normal, `o` weak, `g` a ghost, `-` rest; spaces are for the reader.
 * Lines may be of any number of bars and are repeated.
 */
export type Line = string

/** Music with a beat, written down. */
export interface Song {
  readonly name: string
  /** Name of what is hard about it: results are counted by group. */
  readonly group: string
  readonly seed: number
  readonly seconds: number
  readonly tempo: Tempo
  /** 4 where not given: sixteenths. 3 makes triplets. */
  readonly stepsPerBeat?: number
  /** Place of the second half of a pair: 0.5 straight, 0.66 a triplet. The pair is `swingPair` steps long (2 where not given). */
  readonly swing?: number
  readonly swingPair?: number
  readonly drums?: Partial<Record<DrumName, Line>>
  readonly tones?: Partial<Record<ToneName, Line>>
  /** Standard deviation of every hit, milliseconds. */
  readonly jitterMs?: number
  /** A fill of toms and snare in every so-manieth bar of 16 steps. */
  readonly fillEvery?: number
  /** Decibels by which the music is louder than pink noise. */
  readonly noise?: number
  /** Decibels by which the music is louder than a voice that keeps no time. */
  readonly voice?: number
  /** Seconds at the beginning without drums. */
  readonly intro?: number
}

/** Sound without a beat. */
export interface Beatless {
  readonly name: string
  readonly seed: number
  readonly seconds: number
  readonly sound: 'drone' | 'pink' | 'syllables' | 'hits' | 'rubato' | 'waves' | 'applause' | 'silence'
}
