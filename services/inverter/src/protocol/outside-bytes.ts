/** Bytes that the device's bootloader sends, outside of any frame, when it has taken over. */
export const bootloaderBytes: Uint8Array = Uint8Array.of(0x50, 0xf7, 0x05, 0xab)

const bootloaderMark = 0x50f705ab

/**
 * The bytes between frames. One zero before a frame is its separator; everything else is noise and counted, and among the
 * noise the bootloader is recognised, wherever chunks end.
 */
export class OutsideBytes {
  readonly #onNoise: (count: number) => void
  readonly #onBootloader: () => void
  #last = 0
  #holdsZero = false

  constructor(onNoise: (count: number) => void, onBootloader: () => void) {
    this.#onNoise = onNoise
    this.#onBootloader = onBootloader
  }

  take(byte: number): void {
    this.#last = ((this.#last << 8) | byte) >>> 0
    if (this.#holdsZero) this.#onNoise(1)
    this.#holdsZero = byte === 0
    if (byte !== 0) this.#onNoise(1)
    if (this.#last === bootloaderMark) this.#onBootloader()
  }

  /** A frame begins, or a connection: a zero held back was a separator. */
  end(): void {
    this.#last = 0
    this.#holdsZero = false
  }
}
