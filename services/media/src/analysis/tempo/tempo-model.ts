import type { NetworkWeights } from './network.ts'
import { encodedModel } from './tempo-model.data.ts'

/** What was learned from the design set: see `bench/tempo/training`. */
export interface TempoModel {
  /** Networks that score tempi with a metre each; their mean counts. Outputs are in the order of `metres`. */
  readonly tempo: readonly NetworkWeights[]
  /** Tells sound without a beat from music, by the signature of its likeliest tempo. */
  readonly beat: NetworkWeights
  /** Finds the place of the beat among the twelfths of tracked beats. */
  readonly phase: NetworkWeights
  /** Finds the first beat of a bar, for each of `metres`. */
  readonly bars: readonly NetworkWeights[]
  /** Share of right answers at shares of the scores, from 0 to 1 in even steps. */
  readonly calibration: readonly number[]
}

/** Metres that are told apart: upper numbers of time signatures, with how many beats their bars have. */
export const metres = [
  { metre: 2, beats: 2 },
  { metre: 3, beats: 3 },
  { metre: 4, beats: 4 },
  { metre: 5, beats: 5 },
  { metre: 6, beats: 2 },
  { metre: 7, beats: 7 },
] as const

/** An array as it is stored: whole numbers of 16 bits, base64, and what to multiply them by. */
export interface EncodedArray {
  readonly scale: number
  readonly base64: string
}
type ArrayName = 'mean' | 'deviation' | 'first' | 'firstBias' | 'second' | 'secondBias'
/** A network as it is stored. */
export type EncodedNetwork = Pick<NetworkWeights, 'inputs' | 'hidden' | 'outputs'> &
  Readonly<Record<ArrayName, EncodedArray>>
/** A model as it is stored. */
export interface EncodedModel {
  readonly tempo: readonly EncodedNetwork[]
  readonly beat: EncodedNetwork
  readonly phase: EncodedNetwork
  readonly bars: readonly EncodedNetwork[]
  readonly calibration: readonly number[]
}

function decodeArray({ scale, base64 }: EncodedArray): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  const values = new Float32Array(bytes.length / 2)
  for (let index = 0; index < values.length; index += 1) {
    const unsigned = (bytes[2 * index] as number) | ((bytes[2 * index + 1] as number) << 8)
    values[index] = ((unsigned << 16) >> 16) * scale
  }
  return values
}

function decodeNetwork(network: EncodedNetwork): NetworkWeights {
  const { inputs, hidden, outputs } = network
  return {
    inputs,
    hidden,
    outputs,
    mean: decodeArray(network.mean),
    deviation: decodeArray(network.deviation),
    first: decodeArray(network.first),
    firstBias: decodeArray(network.firstBias),
    second: decodeArray(network.second),
    secondBias: decodeArray(network.secondBias),
  }
}

/** Decodes a stored model. */
export function decodeModel({ tempo, beat, phase, bars, calibration }: EncodedModel): TempoModel {
  return {
    tempo: tempo.map(decodeNetwork),
    beat: decodeNetwork(beat),
    phase: decodeNetwork(phase),
    bars: bars.map(decodeNetwork),
    calibration,
  }
}

/** Reads the model of this version. */
export const readTempoModel = (): TempoModel => decodeModel(encodedModel)
