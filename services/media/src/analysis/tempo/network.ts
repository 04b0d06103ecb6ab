/** Weights of a network with one hidden layer; the inputs are brought to mean 0 and deviation 1 first. */
export interface NetworkWeights {
  readonly inputs: number
  readonly hidden: number
  readonly outputs: number
  readonly mean: Float32Array
  readonly deviation: Float32Array
  /** A row of inputs for each hidden unit, and what is added to each. */
  readonly first: Float32Array
  readonly firstBias: Float32Array
  /** A row of hidden units for each output, and what is added to each. */
  readonly second: Float32Array
  readonly secondBias: Float32Array
}

/** Inputs farther than this from their mean count as this far, in deviations: nothing unheard of outweighs the rest. */
const clip = 4

/** Calculates the outputs of a network. */
export function scoresOf(weights: NetworkWeights, values: Float64Array): Float64Array {
  const { inputs, hidden, outputs, mean, deviation, first, firstBias, second, secondBias } = weights
  const scaled = new Float64Array(inputs)
  for (let index = 0; index < inputs; index += 1) {
    const distance = ((values[index] as number) - (mean[index] as number)) / (deviation[index] as number)
    scaled[index] = Math.max(-clip, Math.min(clip, distance))
  }
  const units = new Float64Array(hidden)
  for (let unit = 0; unit < hidden; unit += 1) {
    let sum = firstBias[unit] as number
    for (let index = 0; index < inputs; index += 1)
      sum += (first[unit * inputs + index] as number) * (scaled[index] as number)
    units[unit] = Math.tanh(sum)
  }
  const scores = new Float64Array(outputs)
  for (let output = 0; output < outputs; output += 1) {
    let sum = secondBias[output] as number
    for (let unit = 0; unit < hidden; unit += 1)
      sum += (second[output * hidden + unit] as number) * (units[unit] as number)
    scores[output] = sum
  }
  return scores
}
