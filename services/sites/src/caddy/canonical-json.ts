/**
 * JSON with the keys of every object sorted. Two configurations are the same when their texts are; Caddy gives back what it was
 * sent with sorted keys, so what is sent can be compared with what runs.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

/** Texts of values that were kept, by the value; null until one is asked for. */
const kept = new WeakMap<object, string | null>()

/**
 * Remembers the text of a value that never changes, once `joinedJson` made it, so that it is not made again for each
 * configuration that contains the value. Returns the value.
 */
export function keepText<Value extends object>(value: Value): Value {
  if (!kept.has(value)) kept.set(value, null)
  return value
}

/** The same text as `canonicalJson`, joined from kept texts: quicker where most of a value was kept, and slower elsewhere. */
export function joinedJson(value: unknown): string {
  return textOf(value) ?? 'null'
}

/** Undefined for what JSON has no text of. */
function textOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const known = kept.get(value)
  if (typeof known === 'string') return known
  if (known === null) {
    const text = canonicalJson(value)
    kept.set(value, text)
    return text
  }
  if (Array.isArray(value)) return `[${value.map((entry) => textOf(entry) ?? 'null').join(',')}]`
  const source = value as Record<string, unknown>
  const members = keysOf(source).flatMap((key) => {
    const text = textOf(source[key])
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${members.join(',')}}`
}

/** The keys of an object in the order of `sorted`: JavaScript puts whole numbers before all others. */
function keysOf(source: object): string[] {
  const keys = Object.keys(source).sort()
  return keys.some((key) => /^\d+$/.test(key)) ? Object.keys(Object.fromEntries(keys.map((key) => [key, null]))) : keys
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
