/** Reason why an analysis failed: too many wait; too slow; ffmpeg or the file system could not read it; the thread died; shut down. */
export type AnalysisProblem = 'busy' | 'timeout' | 'unreadable' | 'crashed' | 'closed'

/** An analysis that came to nothing. The message names what went wrong, without paths, and may be shown. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed'
  readonly problem: AnalysisProblem

  constructor(problem: AnalysisProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
