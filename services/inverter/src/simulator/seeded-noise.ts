/** A number in 0..1 that depends on nothing but the seed and the step: the same weather for the same seed. */
export function noiseAt(seed: number, step: number): number {
  let mixed = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(step | 0, 0xc2b2_ae35)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

/** Noise that goes smoothly from one step to the next; `position` is in steps. */
export function smoothNoise(seed: number, position: number): number {
  const step = Math.floor(position)
  const part = position - step
  const eased = part * part * (3 - 2 * part)
  return noiseAt(seed, step) * (1 - eased) + noiseAt(seed, step + 1) * eased
}
