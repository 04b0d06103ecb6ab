/** More than 0: bytes of the answer that stand in `out` from `outAt`. Otherwise one of these. */
export const Outcome = { drop: 0, forward: -1 } as const

/** A forwarded query and its answer. The caller keeps one such object and sets it again. */
export interface Answered {
  /** The client's query stands at query[queryAt .. queryAt + queryLength). */
  query: Uint8Array
  queryAt: number
  queryLength: number
  /** The client's number. */
  client: number
  /** The upstream's answer, that `accept` took; its own place, not in `out`. */
  answer: Uint8Array
  answerAt: number
  answerLength: number
}
