const windowMs = 60_000
const suspicious = 10
const unbearable = 50

/**
 * Watches for frames nobody asked for: signs of another client at the same device, because the device sends everything to
 * everyone. Moments are monotonic milliseconds. Keeps a bounded number of them.
 */
export class ForeignAccess {
  /** Moments of the latest unexpected frames, and of those among them that are no answers: somebody else's requests. */
  #unexpected: number[] = []
  #requests: number[] = []

  note(at: number, isResponse: boolean): void {
    this.#unexpected = [...this.#unexpected, at].slice(-suspicious)
    if (!isResponse) this.#requests = [...this.#requests, at].slice(-(unbearable + 1))
  }

  /** Ten or more unexpected frames within the last minute. */
  isSuspected(now: number): boolean {
    return this.#unexpected.length === suspicious && now - (this.#unexpected[0] ?? 0) <= windowMs
  }

  /** More than fifty frames within the last minute that only a client would send: a new connection may end an echo. */
  isUnbearable(now: number): boolean {
    return this.#requests.length > unbearable && now - (this.#requests[0] ?? 0) <= windowMs
  }

  /** A new connection begins: what spoke for making it is used up. */
  forgetRequests(): void {
    this.#requests = []
  }
}
