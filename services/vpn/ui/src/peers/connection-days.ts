/** A stretch of time in which a peer was connected. */
export interface Span {
  readonly began_at: string
  readonly ended_at: string
}

/** A day of this place, with the parts of it in which a peer was connected. */
export interface ConnectionDay {
  readonly start: Date
  readonly end: Date
  /** Parts of the day, 0 to 1. */
  readonly parts: readonly { readonly from: number; readonly to: number }[]
  readonly seconds: number
}

/** Divides spans, oldest first, among the last days, today last. A day has 23 or 25 hours when the clock changes. */
export function connectionDays(spans: readonly Span[], now: Date, count: number): ConnectionDay[] {
  return Array.from({ length: count }, (_, index) => {
    const ago = count - 1 - index
    const dayAt = (offset: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - ago + offset)
    const [start, end] = [dayAt(0), dayAt(1)]
    const length = end.getTime() - start.getTime()
    const parts = spans.flatMap(({ began_at, ended_at }) => {
      const from = Math.max(Date.parse(began_at), start.getTime())
      const to = Math.min(Date.parse(ended_at), end.getTime())
      return from < to ? [{ from: (from - start.getTime()) / length, to: (to - start.getTime()) / length }] : []
    })
    const share = parts.reduce((sum, { from, to }) => sum + to - from, 0)
    return { start, end, parts, seconds: Math.round((share * length) / 1000) }
  })
}
