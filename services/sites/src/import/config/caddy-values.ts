import { giveUp, type JsonLocation } from './json-location.ts'

const units: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
}

/** A duration as Caddy writes it, a text like `1m30s` or a count of nanoseconds, in seconds; undefined when it is none. */
export function readSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? round(value / 1e9) : undefined
  if (typeof value !== 'string' || value.length > 64 || !/^(\d+(\.\d+)?(ns|us|µs|μs|ms|s|m|h|d))+$|^0$/.test(value))
    return undefined
  let sum = 0
  for (const [, count = '', unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h|d)/g))
    sum += Number(count) * (units[unit] ?? 0)
  return round(sum)
}

/** To the millisecond: no setting of ours is finer. */
const round = (seconds: number) => Math.round(seconds * 1000) / 1000

/** The duration of a member; undefined without one. */
export function secondsOf(location: JsonLocation | undefined): number | undefined {
  if (location === undefined) return undefined
  return readSeconds(location.value) ?? giveUp(location, 'a duration that cannot be read')
}

/** A number of a member; undefined without one. */
export function numberOf(location: JsonLocation | undefined): number | undefined {
  if (location === undefined) return undefined
  return typeof location.value === 'number' ? location.value : giveUp(location, 'a value that should be a number')
}

/** A status, which Caddy also takes as text; undefined without one. */
export function statusOf(location: JsonLocation | undefined): number | undefined {
  if (location === undefined) return undefined
  const number =
    typeof location.value === 'string' && /^\d{3}$/.test(location.value) ? Number(location.value) : location.value
  return typeof number === 'number' ? number : giveUp(location, 'a status that depends on the request')
}

/** A text of a member; undefined without one. */
export function wordOf(location: JsonLocation | undefined): string | undefined {
  if (location === undefined) return undefined
  return typeof location.value === 'string' ? location.value : giveUp(location, 'a value that should be a text')
}

const allowed = /^(http\.request\.|http\.reverse_proxy\.|http\.auth\.user\.|http\.error\.|time\.now)[A-Za-z0-9._-]*$/
const meansSomething = /^(http|tls|time|vars|env|system|file|caddy|err|\$)\b|^\$/

/**
 * A text of Caddy's as a site has it: braces that are taken as they are lose their backslash, but for one that keeps a placeholder
 * from being filled in, which a site needs as well. Gives up at placeholders that a site may not have.
 */
export function plainText(location: JsonLocation): string {
  const text = wordOf(location) ?? ''
  // Without a brace nothing is an escape.
  if (!text.includes('{')) return text
  refusePlaceholders(location, text, (name) => !allowed.test(name))
  return text.replaceAll(/\\(\{([^{}\\]*)\}|[{}])/g, (whole, inner: string, name?: string) =>
    name !== undefined && allowed.test(name) ? whole : inner,
  )
}

/** As `plainText`, for members whose braces mean nothing: no placeholder may be in it. */
export function literalText(location: JsonLocation): string {
  const text = wordOf(location) ?? ''
  refusePlaceholders(location, text, () => true)
  return plainBraces(text)
}

/** The text with braces for what they are. */
export function plainBraces(text: string): string {
  return text.includes('{') ? text.replaceAll(/\\([{}])/g, '$1') : text
}

function refusePlaceholders(location: JsonLocation, text: string, isWrong: (name: string) => boolean): void {
  for (const [, name = ''] of text.matchAll(/(?<!\\)\{([^{}\\]*)\}/g))
    if (meansSomething.test(name) && isWrong(name)) giveUp(location, `the placeholder {${name.slice(0, 60)}}`)
}
