import type { LogLine } from '../traffic/access-log/log-line.ts'

/** Requests that the access log showed since the start of the service. */
export type RequestCounts = ReturnType<typeof createRequestCounts>

const codes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

/** Creates the counts; `add` is called for every line of the access log. */
export function createRequestCounts() {
  const counts = new Map<string, number>(codes.map((code) => [code, 0]))
  let bytes = 0
  return {
    add(line: Pick<LogLine, 'status' | 'bytes'>): void {
      const code = `${Math.floor(line.status / 100)}xx`
      const known = counts.get(code)
      // A line may contain any status, which must not add a series.
      if (known !== undefined) counts.set(code, known + 1)
      bytes += line.bytes
    },
    byCode: () => Array.from(counts, ([code, count]) => [{ code }, count] as const),
    bytes: () => bytes,
  }
}
