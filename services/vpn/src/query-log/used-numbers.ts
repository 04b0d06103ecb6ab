/** A set of whole numbers that are not far from 0, a bit each. */
export class UsedNumbers {
  /** Bit `n & 31` of word `n >>> 5` is 1 when n is in it; numbers beyond the last word are not in it. */
  bits: Uint32Array

  constructor(expected: number) {
    this.bits = new Uint32Array((expected >>> 5) + 64)
  }

  add(number: number): void {
    this.reserve(number)
    this.bits[number >>> 5]! |= 1 << (number & 31)
  }

  /** Grows the bits up to this number, so that reads stay inside them. */
  reserve(number: number): void {
    const word = number >>> 5
    if (word < this.bits.length) return
    const wider = new Uint32Array(Math.max(word + 64, this.bits.length * 2))
    wider.set(this.bits)
    this.bits = wider
  }

  has(number: number): boolean {
    return ((this.bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0
  }
}
