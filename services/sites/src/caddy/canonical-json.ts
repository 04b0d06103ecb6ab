/**
 * JSON with the keys of every object sorted. Two configurations are the same when their texts are; Caddy gives back what it was
 * sent with sorted keys, so what is sent can be compared with what runs.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

/** A copy with sorted keys; much faster than sorting while the text is made. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return (value as unknown[]).map(sorted)
  const source = value as Record<string, unknown>
  const target: Record<string, unknown> = {}
  for (const key of Object.keys(source).sort())
    // A plain assignment to `__proto__` would change the prototype instead of adding a member.
    if (key === '__proto__') Object.defineProperty(target, key, { value: sorted(source[key]), enumerable: true })
    else target[key] = sorted(source[key])
  return target
}
