/** A difference of two configurations. */
export interface JsonChange {
  /** Where, as `/apps/http/servers`. */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/** What differs between two JSON values. */
export function diffJson(before: unknown, after: unknown, path = ''): JsonChange[] {
  if (Object.is(before, after)) return []
  const isBoth = typeof before === 'object' && typeof after === 'object' && before !== null && after !== null
  if (!isBoth || Array.isArray(before) !== Array.isArray(after)) return [{ path, before, after }]
  const one = before as Record<string, unknown>
  const other = after as Record<string, unknown>
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    diffJson(one[key], other[key], `${path}/${key}`),
  )
}
