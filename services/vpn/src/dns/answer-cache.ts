/** How long answers are kept; seconds. */
export interface CacheLimits {
  /** Shorter lives are lengthened to this; not those of negative answers. */
  readonly minTtl: number
  /** Longer ones are cut to this; 0 for a week. */
  readonly maxTtl: number
}

/** Answers of upstreams, of a fixed size in memory. One engine's alone: it is not shared between threads. */
export class AnswerCache {
  /** How many answers there is room for. */
  readonly size: number
  /** How many there are, those past their time too. */
  entries = 0

  /** Takes its memory at once; 0 keeps nothing. */
  constructor(size: number) {
    this.size = size
  }

  /** Forgets everything. */
  clear(): void {
    this.entries = 0
  }
}
