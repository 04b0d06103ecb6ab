/** Draws one bit after another out of random bytes that are filled again when they are used up; for the case of letters (0x20). */
export class RandomBits {
  readonly #bytes = new Uint8Array(4096)
  readonly #fill: (bytes: Uint8Array) => void
  #bit = this.#bytes.length * 8

  constructor(fill: (bytes: Uint8Array) => void) {
    this.#fill = fill
  }

  /** 0 or 1. */
  next(): number {
    if (this.#bit === this.#bytes.length * 8) {
      this.#fill(this.#bytes)
      this.#bit = 0
    }
    const bit = this.#bit++
    return (this.#bytes[bit >> 3]! >> (bit & 7)) & 1
  }
}
