const maxWait = 7 * 86_400_000

/** Milliseconds of a `Retry-After` header, in seconds or as a date (RFC 9110 section 10.2.3); at most a week. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(maxWait, Math.max(0, ms)) : undefined
}
