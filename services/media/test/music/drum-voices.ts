import { seededRandom } from './seeded-random.ts'

/** Makes one hit at a sample rate; the variant changes the noise in it, as no two hits are alike. */
export type DrumVoice = (rate: number, variant: number) => Float32Array

function hit(rate: number, seconds: number, at: (time: number) => number): Float32Array {
  return Float32Array.from({ length: Math.ceil(rate * seconds) }, (_, index) => at(index / rate))
}

/** White noise with its low part taken away, the more the higher the order. */
function brightNoise(seed: number, order: number): () => number {
  const random = seededRandom(seed)
  const last: number[] = Array.from({ length: order }, () => 0)
  return () => {
    let value = random.next() * 2 - 1
    for (let stage = 0; stage < order; stage += 1) {
      const before = last[stage]!
      last[stage] = value
      value = (value - before) / 1.4
    }
    return value
  }
}

const falling = (high: number, low: number, decay: number) => (time: number) =>
  2 * Math.PI * (low * time + (high - low) * decay * (1 - Math.exp(-time / decay)))

function sweep(high: number, low: number, decay: number): DrumVoice {
  const phase = falling(high, low, decay / 4)
  return (rate) => hit(rate, decay * 4, (time) => Math.sin(phase(time)) * Math.exp(-time / decay))
}

function noiseHit(order: number, decay: number, attack = 0.001): DrumVoice {
  return (rate, variant) => {
    const noise = brightNoise(31 + variant, order)
    return hit(
      rate,
      attack + decay * 4,
      (time) => noise() * Math.min(1, time / attack) * Math.exp(-Math.max(0, time - attack) / decay),
    )
  }
}

function metal(frequencies: readonly number[], decay: number): DrumVoice {
  return (rate, variant) => {
    const noise = brightNoise(57 + variant, 2)
    return hit(rate, decay * 3, (time) => {
      const tone = frequencies.reduce((sum, frequency) => sum + Math.sin(2 * Math.PI * frequency * time), 0)
      return ((tone / frequencies.length) * 0.7 + noise() * 0.4) * Math.exp(-time / decay)
    })
  }
}

const snare: DrumVoice = (rate, variant) => {
  const noise = brightNoise(11 + variant, 1)
  return hit(
    rate,
    0.4,
    (time) =>
      0.5 * Math.sin(2 * Math.PI * 188 * time) * Math.exp(-time / 0.06) + noise() * 0.6 * Math.exp(-time / 0.09),
  )
}

const clap: DrumVoice = (rate, variant) => {
  const noise = brightNoise(23 + variant, 1)
  return hit(rate, 0.4, (time) => {
    const burst = time < 0.03 ? 1 - (time % 0.01) / 0.01 : Math.exp(-(time - 0.03) / 0.08)
    return noise() * 0.7 * burst
  })
}

/** The drum kit: every voice at full strength, about 1 high. */
export const drumVoices = {
  kick: sweep(170, 50, 0.12),
  boom: sweep(90, 42, 0.35),
  snare,
  clap,
  brush: noiseHit(1, 0.12, 0.03),
  rim: metal([1720, 430], 0.02),
  hat: noiseHit(3, 0.025),
  open: noiseHit(3, 0.12),
  shaker: noiseHit(2, 0.03, 0.02),
  ride: metal([3100, 4270, 5630, 7010], 0.3),
  bell: metal([845, 562], 0.12),
  tom: sweep(210, 95, 0.16),
  conga: sweep(330, 290, 0.07),
  click: metal([1500], 0.015),
} satisfies Record<string, DrumVoice>

/** The name of a drum. */
export type DrumName = keyof typeof drumVoices
