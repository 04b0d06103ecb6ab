/** What a configuration may have at most. */
export const configBounds = {
  depth: 100,
  values: 2_000_000,
  hosts: 20_000,
  sites: 5000,
  routeVisits: 1_000_000,
} as const

/** Why a configuration is too large or too deep to be read, or undefined. Takes any value JSON can be parsed to. */
export function boundsProblem(config: unknown): string | undefined {
  let level: unknown[] = [config]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > configBounds.depth) return `is nested deeper than ${configBounds.depth} levels`
    count += level.length
    if (count > configBounds.values) return `has more than ${configBounds.values} values`
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return undefined
}
