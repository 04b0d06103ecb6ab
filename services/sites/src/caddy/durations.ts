/** Seconds in Caddy's notation. */
export function seconds(count: number): string {
  return Number.isInteger(count) ? `${count}s` : `${Math.round(count * 1000)}ms`
}
