import { accessRoutes } from '../../caddy/access-routes.ts'
import { canonicalJson } from '../../caddy/canonical-json.ts'
import { oldestCapabilities } from '../../caddy/capabilities.ts'
import { Access } from '../../sites/guard-schema.ts'
import { at, isObject, itemsOf, membersOf, textsOf, type JsonLocation } from './json-location.ts'

/** A path of a condition, in the way sites have them. */
export interface PathCondition {
  readonly match: 'exact' | 'prefix'
  readonly path: string
  /** Difference of meaning, when the pattern is not quite the same. */
  readonly difference?: string
  /** True when the pattern matched more than the path does. */
  readonly isNarrower?: true
}

/** A condition of a route, as far as a site can have it. */
export type Condition =
  | { readonly kind: 'paths'; readonly paths: readonly PathCondition[]; readonly patterns: readonly string[] }
  | { readonly kind: 'networks'; readonly isInverted: boolean; readonly ranges: readonly string[] }
  | { readonly kind: 'bots' }
  | { readonly kind: 'file'; readonly file: JsonLocation }
  | { readonly kind: 'header_missing'; readonly name: string }
  | { readonly kind: 'other'; readonly what: string }

type MatcherSet = Readonly<Record<string, JsonLocation>>

/** Reads the matcher sets of a route, of which one must hold. There is at least one, and each has a member. */
export function readCondition(sets: readonly MatcherSet[]): Condition {
  const names = [...new Set(sets.flatMap((set) => Object.keys(set)))]
  const other = { kind: 'other', what: `a condition on ${names.join(' and ')}` } as const
  const [name] = names
  if (name === undefined || names.length > 1) return other
  const matchers = sets.flatMap((set) => set[name] ?? [])
  switch (name) {
    case 'path':
      return readPaths(matchers) ?? other
    case 'remote_ip':
    case 'client_ip':
      return readNetworks(matchers, false) ?? other
    case 'not':
      return (matchers.length === 1 && readNot(matchers[0])) || other
    case 'file':
      return matchers.length === 1 && matchers[0] ? { kind: 'file', file: matchers[0] } : other
    case 'header':
      return readMissing(matchers) ?? other
    case 'header_regexp':
      return isOurBots(matchers) ? { kind: 'bots' } : other
    default:
      return other
  }
}

function readPaths(matchers: readonly JsonLocation[]): Condition | undefined {
  const lists = matchers.map(textsOf)
  if (!lists.every((list) => list !== undefined)) return undefined
  const patterns = [...new Set(lists.flat())]
  const paths = patterns.map((pattern) => readPattern(pattern, patterns))
  if (!paths.every((path) => path !== undefined)) return undefined
  return { kind: 'paths', paths: paths.filter((path) => path !== null), patterns }
}

/** A pattern of Caddy's path matcher; null for one that another of the patterns covers, undefined for one that no site can have. */
function readPattern(pattern: string, all: readonly string[]): PathCondition | null | undefined {
  if (!pattern.startsWith('/') || /[{}]/.test(pattern)) return undefined
  const star = pattern.indexOf('*')
  if (star === -1) {
    const isCovered = all.includes(`${pattern}/*`)
    return isCovered ? null : { match: 'exact', path: pattern }
  }
  if (star !== pattern.length - 1) return undefined
  if (pattern === '/*') return { match: 'prefix', path: '/' }
  const path = pattern.slice(0, -1).replace(/\/$/, '')
  if (!pattern.endsWith('/*'))
    return {
      match: 'prefix',
      path,
      isNarrower: true,
      difference: `what begins with ${path} without a slash after it no longer counts`,
    }
  if (all.includes(path)) return { match: 'prefix', path }
  return { match: 'prefix', path, difference: `${path} without a slash at its end now counts too` }
}

function readNetworks(matchers: readonly JsonLocation[], isInverted: boolean): Condition | undefined {
  const lists = matchers.map((matcher) => {
    const isPlain = membersOf(matcher).every(([key]) => key === 'ranges')
    return isPlain ? textsOf(at(matcher, 'ranges')) : undefined
  })
  if (!lists.every((list) => list !== undefined && list.every((range) => !/[{}]/.test(range)))) return undefined
  return { kind: 'networks', isInverted, ranges: lists.flatMap((list) => list ?? []) }
}

function readNot(matcher: JsonLocation | undefined): Condition | undefined {
  const sets = itemsOf(matcher)
  const networks = sets.flatMap((set) => {
    const members = membersOf(set)
    const [name, inner] = members[0] ?? []
    return members.length === 1 && inner && (name === 'remote_ip' || name === 'client_ip') ? [inner] : []
  })
  return sets.length > 0 && networks.length === sets.length ? readNetworks(networks, true) : undefined
}

function readMissing(matchers: readonly JsonLocation[]): Condition | undefined {
  const [matcher] = matchers
  if (matchers.length !== 1 || matcher === undefined || !isObject(matcher.value)) return undefined
  const [name, ...more] = Object.keys(matcher.value)
  return name !== undefined && more.length === 0 && matcher.value[name] === null
    ? { kind: 'header_missing', name }
    : undefined
}

/** The matcher for crawlers that the compiler writes. */
const ourBots = canonicalJson(accessRoutes({ access: Access.parse({ block_bots: true }) }, oldestCapabilities)[0])

function isOurBots(matchers: readonly JsonLocation[]): boolean {
  const [matcher] = matchers
  return matchers.length === 1 && ourBots.includes(`"header_regexp":${canonicalJson(matcher?.value)}`)
}
