import { shown, textsOf } from './read-service.ts'

/** Entry points that everyone reaches at the ports 80 and 443, by their usual names. */
const usual = /^(web|http|https|web-?secure)$/i

/** What the entry points of a router say about its site. */
export function readEntryPoints(given: unknown): {
  readonly isSecure: boolean
  readonly lost: readonly string[]
  readonly unsafe: readonly string[]
} {
  // Without a list it is at all of them.
  const names = textsOf(given)
  const isSecure = names.some((name) => /secure|https|443/i.test(name))
  const others = names.filter((name) => !usual.test(name))
  if (others.length === 0) return { isSecure, lost: [], unsafe: [] }
  const what = others.slice(0, 10).map(shown).join(', ')
  if (others.length < names.length) return { isSecure, lost: [`the entry points ${what}`], unsafe: [] }
  return { isSecure, lost: [], unsafe: [`it was at the entry points ${what} only`] }
}
