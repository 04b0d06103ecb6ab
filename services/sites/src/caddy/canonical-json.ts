/**
 * JSON with the keys of every object sorted. Two configurations are the same when their texts are; Caddy gives back what it was
 * sent with sorted keys, so what is sent can be compared with what runs.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortKeys) ?? 'null'
}

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
