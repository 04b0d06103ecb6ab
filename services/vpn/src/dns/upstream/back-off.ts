const minMs = 100
const maxMs = 2000

/** Limits reconnects to an unreachable upstream: each failure doubles the pause, up to 2 s. */
export class BackOff {
  #pauseMs = 0
  #until = 0
  #reason: Error | undefined

  failed(reason: Error): void {
    this.#pauseMs = Math.min(maxMs, Math.max(minMs, this.#pauseMs * 2))
    this.#until = performance.now() + this.#pauseMs
    this.#reason = reason
  }

  succeeded(): void {
    this.#pauseMs = 0
    this.#until = 0
  }

  /** Returns the reason why not to connect now; undefined when it may be tried. */
  obstacle(): Error | undefined {
    return performance.now() < this.#until ? this.#reason : undefined
  }
}
