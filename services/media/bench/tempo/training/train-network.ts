import type { NetworkWeights } from '../../../src/analysis/tempo/network.ts'
import { seededRandom, type SeededRandom } from '../../../test/music/seeded-random.ts'

/** What a network chooses among, and what is right: rows of inputs, and pairs of row and output. */
export interface Example {
  readonly rows: readonly Float64Array[]
  /** Right rows, and the right output of them; -1 when any is right. */
  readonly right: readonly number[]
  readonly output: number
  readonly weight?: number
}

export interface TrainingOptions {
  readonly hidden: number
  readonly outputs: number
  readonly epochs: number
  readonly seed: number
  /** Share by which weights shrink with each step. */
  readonly decay: number
  readonly rate: number
  /** Deviation of the noise that is added to scaled inputs. */
  readonly noise: number
  /** What the choice of the row counts against that of the output. */
  readonly rowShare: number
  /** Changes the inputs of an example each time it is seen, by a number from -1 to 1 that is the same for all its rows. */
  readonly vary?: (row: Float64Array, shared: number) => Float64Array
}

const clip = 4
const batch = 16

/** Trains a network by Adam to choose the right row and output of each example: a softmax over all of them. The same options give the same weights. */
export function trainNetwork(examples: readonly Example[], options: TrainingOptions): NetworkWeights {
  const random = seededRandom(options.seed)
  const inputs = examples[0]?.rows[0]?.length ?? 0
  const { hidden, outputs } = options
  const { mean, deviation } = scaleOf(examples, inputs)
  const sizes = [hidden * inputs, hidden, outputs * hidden, outputs]
  const parameters = new Float64Array(sizes.reduce((sum, size) => sum + size, 0))
  for (let index = 0; index < hidden * inputs; index += 1) parameters[index] = random.gaussian() / Math.sqrt(inputs)
  const offset = hidden * inputs + hidden
  for (let index = 0; index < outputs * hidden; index += 1)
    parameters[offset + index] = (random.gaussian() * 0.5) / Math.sqrt(hidden)
  const [gradient, speed, power] = [0, 1, 2].map(() => new Float64Array(parameters.length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  let step = 0
  const average = new Float64Array(parameters.length)
  let averaged = 0
  for (let epoch = 0; epoch < options.epochs; epoch += 1) {
    const order = shuffled(examples.length, random)
    const rate = options.rate * 0.5 * (1 + Math.cos((Math.PI * epoch) / options.epochs))
    for (let from = 0; from < order.length; from += batch) {
      gradient.fill(0)
      const some = order.slice(from, from + batch)
      for (const index of some)
        addGradient(examples[index] as Example, { parameters, gradient, mean, deviation, random, options, inputs })
      step += 1
      for (let index = 0; index < parameters.length; index += 1) {
        const slope = (gradient[index] as number) / some.length
        speed[index] = 0.9 * (speed[index] as number) + 0.1 * slope
        power[index] = 0.999 * (power[index] as number) + 0.001 * slope * slope
        const corrected = (speed[index] as number) / (1 - 0.9 ** step)
        const scale = Math.sqrt((power[index] as number) / (1 - 0.999 ** step)) + 1e-8
        parameters[index] = (parameters[index] as number) * (1 - rate * options.decay) - (rate * corrected) / scale
      }
    }
    if (epoch >= options.epochs * 0.8) {
      for (let index = 0; index < parameters.length; index += 1)
        average[index] = (average[index] as number) + (parameters[index] as number)
      averaged += 1
    }
  }
  const final = Float32Array.from(average, (sum) => sum / Math.max(1, averaged))
  const part = (number: number) => {
    const begin = sizes.slice(0, number).reduce((sum, size) => sum + size, 0)
    return final.slice(begin, begin + (sizes[number] as number))
  }
  return {
    inputs,
    hidden,
    outputs,
    mean: Float32Array.from(mean),
    deviation: Float32Array.from(deviation),
    first: part(0),
    firstBias: part(1),
    second: part(2),
    secondBias: part(3),
  }
}

function scaleOf(examples: readonly Example[], inputs: number) {
  const [sum, squares] = [new Float64Array(inputs), new Float64Array(inputs)]
  let count = 0
  for (const { rows } of examples)
    for (const row of rows) {
      count += 1
      for (let index = 0; index < inputs; index += 1) {
        sum[index] = (sum[index] as number) + (row[index] as number)
        squares[index] = (squares[index] as number) + (row[index] as number) ** 2
      }
    }
  const mean = sum.map((value) => value / count)
  const deviation = squares.map((value, index) =>
    Math.max(0.01, Math.sqrt(Math.max(0, value / count - (mean[index] as number) ** 2))),
  )
  return { mean, deviation }
}

function shuffled(length: number, random: SeededRandom): number[] {
  const order = Array.from({ length }, (_, index) => index)
  for (let index = length - 1; index > 0; index -= 1) {
    const other = Math.floor(random.next() * (index + 1))
    const kept = order[index] as number
    order[index] = order[other] as number
    order[other] = kept
  }
  return order
}

interface Pass {
  readonly parameters: Float64Array
  readonly gradient: Float64Array
  readonly mean: Float64Array
  readonly deviation: Float64Array
  readonly random: SeededRandom
  readonly options: TrainingOptions
  readonly inputs: number
}

function addGradient(example: Example, { parameters, gradient, mean, deviation, random, options, inputs }: Pass): void {
  const { hidden, outputs, noise, rowShare, vary } = options
  const shared = random.next() * 2 - 1
  const count = example.rows.length
  const scaled = new Float64Array(count * inputs)
  const units = new Float64Array(count * hidden)
  const logits = new Float64Array(count * outputs)
  const secondAt = hidden * inputs + hidden
  const secondBiasAt = secondAt + outputs * hidden
  for (let row = 0; row < count; row += 1) {
    const raw = example.rows[row] as Float64Array
    const values = vary === undefined ? raw : vary(raw, shared)
    for (let index = 0; index < inputs; index += 1) {
      const distance = ((values[index] as number) - (mean[index] as number)) / (deviation[index] as number)
      scaled[row * inputs + index] =
        Math.max(-clip, Math.min(clip, distance)) + (noise === 0 ? 0 : (random.next() * 2 - 1) * noise * 1.7)
    }
    for (let unit = 0; unit < hidden; unit += 1) {
      let sum = parameters[hidden * inputs + unit] as number
      const [weightsAt, valuesAt] = [unit * inputs, row * inputs]
      for (let index = 0; index < inputs; index += 1)
        sum += (parameters[weightsAt + index] as number) * (scaled[valuesAt + index] as number)
      units[row * hidden + unit] = Math.tanh(sum)
    }
    for (let output = 0; output < outputs; output += 1) {
      let sum = parameters[secondBiasAt + output] as number
      for (let unit = 0; unit < hidden; unit += 1)
        sum += (parameters[secondAt + output * hidden + unit] as number) * (units[row * hidden + unit] as number)
      logits[row * outputs + output] = sum
    }
  }
  let highest = -Infinity
  for (const logit of logits) highest = Math.max(highest, logit)
  const shares = logits.map((logit) => Math.exp(logit - highest))
  const total = shares.reduce((sum, share) => sum + share, 0)
  let [rightRows, rightPairs] = [1e-12, 1e-12]
  const isRight = new Set(example.right)
  for (let index = 0; index < shares.length; index += 1) {
    shares[index] = (shares[index] as number) / total
    if (!isRight.has(Math.floor(index / outputs))) continue
    rightRows += shares[index] as number
    if (index % outputs === example.output) rightPairs += shares[index] as number
  }
  const weight = example.weight ?? 1
  for (let row = 0; row < count; row += 1) {
    const slopes = new Float64Array(outputs)
    for (let output = 0; output < outputs; output += 1) {
      const share = shares[row * outputs + output] as number
      const inRow = isRight.has(row) ? share / rightRows : 0
      const inPair = example.output < 0 ? inRow : isRight.has(row) && output === example.output ? share / rightPairs : 0
      slopes[output] = weight * (share - rowShare * inRow - (1 - rowShare) * inPair)
    }
    for (let unit = 0; unit < hidden; unit += 1) {
      const value = units[row * hidden + unit] as number
      let back = 0
      for (let output = 0; output < outputs; output += 1) {
        const slope = slopes[output] as number
        const at = secondAt + output * hidden + unit
        gradient[at] = (gradient[at] as number) + slope * value
        back += slope * (parameters[at] as number)
      }
      back *= 1 - value * value
      if (Math.abs(back) < 1e-9) continue
      const [weightsAt, valuesAt] = [unit * inputs, row * inputs]
      for (let index = 0; index < inputs; index += 1)
        gradient[weightsAt + index] =
          (gradient[weightsAt + index] as number) + back * (scaled[valuesAt + index] as number)
      const biasAt = hidden * inputs + unit
      gradient[biasAt] = (gradient[biasAt] as number) + back
    }
    for (let output = 0; output < outputs; output += 1)
      gradient[secondBiasAt + output] = (gradient[secondBiasAt + output] as number) + (slopes[output] as number)
  }
}
