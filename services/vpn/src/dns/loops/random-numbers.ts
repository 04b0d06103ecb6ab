import { openSync, readSync } from 'node:fs'

/** Unpredictable 16-bit numbers, read from the system 4096 at a time so that each is cheap. */
export class RandomNumbers {
  readonly #store = new Uint16Array(4096)
  #used = this.#store.length

  /** 0 to 65,535. */
  next(): number {
    if (this.#used === this.#store.length) {
      drawBytes(new Uint8Array(this.#store.buffer))
      this.#used = 0
    }
    return this.#store[this.#used++]!
  }

  /** 0 to `count` - 1, for counts far below 65,536. */
  below(count: number): number {
    return this.next() % count
  }
}

let source: number | undefined

/** Random numbers of the kernel. `node:crypto` reads the same source, but loading it takes a fortieth of the whole start. */
function drawBytes(bytes: Uint8Array): void {
  try {
    source ??= openSync('/dev/urandom', 'r')
    if (readSync(source, bytes) === bytes.length) return
  } catch {
    // The device does not exist.
  }
  process.getBuiltinModule('node:crypto').randomFillSync(bytes)
}
