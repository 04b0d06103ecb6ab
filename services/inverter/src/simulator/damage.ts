import { noiseAt } from './seeded-noise.ts'
import type { Faults } from './faults.ts'

const noises = {
  none: '',
  garbage: '0102f0e1d2c3b4a59687',
  zeros: '000000000000000000000000',
  bridge: '2b2b2b0d2b2b2bf8781e78fe781e78fe781ef89e869e869e86e9',
  extension: '2b3ce1',
} as const

/** The bytes of an answer as a faulty line delivers them, in the parts they arrive in. */
export function damaged(
  bytes: Uint8Array,
  faults: Faults,
  { seed, count }: { seed: number; count: number },
): Uint8Array[] {
  const flipped = withFlippedBit(bytes, faults, noiseAt(seed, count))
  const begun = faults.startByteInside ? flipped.subarray(0, Math.floor(flipped.length / 2)) : new Uint8Array(0)
  const whole = Buffer.concat([Buffer.from(noises[faults.noise], 'hex'), begun, flipped])
  if (faults.byteByByteMs > 0) return Array.from(whole, (_, index) => whole.subarray(index, index + 1))
  if (faults.splitAfterEscape) return partsAfter(whole, 0x2d)
  if (faults.splitAt > 0 && faults.splitAt < whole.length)
    return [whole.subarray(0, faults.splitAt), whole.subarray(faults.splitAt)]
  return [whole]
}

function withFlippedBit(bytes: Uint8Array, { flipBit, flipShare }: Faults, chance: number): Uint8Array {
  const isChosen = flipShare > 0 && chance < flipShare
  if (flipBit < 0 && !isChosen) return bytes
  const bit = flipBit >= 0 ? flipBit : Math.floor((chance / flipShare) * bytes.length * 8)
  const copy = Uint8Array.from(bytes)
  const index = Math.floor(bit / 8) % bytes.length
  copy[index] = (copy[index] ?? 0) ^ (0x80 >>> (bit % 8))
  return copy
}

function partsAfter(bytes: Uint8Array, cut: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  let begin = 0
  for (const [index, byte] of bytes.entries()) {
    if (byte !== cut) continue
    parts.push(bytes.subarray(begin, index + 1))
    begin = index + 1
  }
  return [...parts, bytes.subarray(begin)].filter((part) => part.length > 0)
}
