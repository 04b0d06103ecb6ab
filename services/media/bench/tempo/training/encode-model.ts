import type { NetworkWeights } from '../../../src/analysis/tempo/network.ts'
import type { EncodedArray, EncodedModel, EncodedNetwork, TempoModel } from '../../../src/analysis/tempo/tempo-model.ts'

function encodeArray(values: Float32Array): EncodedArray {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9)
  const scale = Number((largest / 32_767).toPrecision(6))
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries())
    bytes.writeInt16LE(Math.max(-32_767, Math.min(32_767, Math.round(value / scale))), index * 2)
  return { scale, base64: bytes.toString('base64') }
}

function encodeNetwork(network: NetworkWeights): EncodedNetwork {
  const { inputs, hidden, outputs } = network
  return {
    inputs,
    hidden,
    outputs,
    mean: encodeArray(network.mean),
    deviation: encodeArray(network.deviation),
    first: encodeArray(network.first),
    firstBias: encodeArray(network.firstBias),
    second: encodeArray(network.second),
    secondBias: encodeArray(network.secondBias),
  }
}

/** A model as it is stored in the source. */
export function encodeModel({ tempo, beat, phase, bars, calibration }: TempoModel): EncodedModel {
  return {
    tempo: tempo.map(encodeNetwork),
    beat: encodeNetwork(beat),
    phase: encodeNetwork(phase),
    bars: bars.map(encodeNetwork),
    calibration: calibration.map((share) => Number(share.toFixed(4))),
  }
}
