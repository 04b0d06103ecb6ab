/** How far an export is, percent; it never goes back, and is never done by itself. */
export class ExportProgress {
  #percent = 0
  #steps = 1
  #done = 0

  get percent(): number {
    return this.#percent
  }

  /** Begins to count to so many steps. */
  begin(steps: number): void {
    this.#steps = steps
  }

  /** Notes that a step is done. */
  advance(): void {
    this.#done += 1
    this.within(0)
  }

  /** Notes how much of the present step is done, percent. */
  within(percent: number): void {
    const reached = Math.floor((this.#done * 100 + percent) / this.#steps)
    this.#percent = Math.max(this.#percent, Math.min(99, reached))
  }
}
