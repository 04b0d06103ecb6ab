/** What a rule of a router asks for, one of its alternatives. */
export interface RouteMatch {
  readonly hosts: readonly string[]
  /** The path it asks for; undefined for all. */
  readonly path?: { readonly match: 'prefix' | 'exact'; readonly path: string }
}

/** Alternatives of a rule, and terms of one, at most; a site asks for two terms. */
const [maxAlternatives, maxTerms] = [200, 20]
/** Longest rule, characters. */
const maxLength = 10_000
const maxDepth = 50

type Term = { readonly matcher: string; readonly values: readonly string[] }
/** Alternatives, each of terms that all hold. */
type Alternatives = readonly (readonly Term[])[]

/**
 * Reads a rule such as ``Host(`a.example`) && PathPrefix(`/api`)`` as alternatives of hosts and a path. Returns a problem for a rule
 * that asks for anything else, or that is none.
 */
export function readRule(rule: string): { readonly matches: readonly RouteMatch[] } | { readonly problem: string } {
  try {
    return { matches: new RuleParser(rule).parse().map(matchOf) }
  } catch (error) {
    if (error instanceof RuleProblem) return { problem: error.message }
    throw error
  }
}

/** Hosts that a rule is for. */
export type HostTest = (host: string) => boolean

/** The hosts that a rule is for, as far as they can be read, and all hosts where they cannot. */
export function hostsOfRule(rule: string): HostTest {
  const terms = hostTermsOf(rule)
  if (terms === undefined) return () => true
  const names = new Set<string>()
  const patterns: RegExp[][] = []
  for (const { matcher, values } of terms)
    for (const value of values) {
      if (/regexp$/i.test(matcher)) patterns.push(literalsOf(value))
      else if (value === '*') patterns.push([])
      else names.add(plainHost(value))
    }
  return (host) => names.has(host) || patterns.some((all) => all.every((one) => one.test(host)))
}

/** The terms about hosts of all alternatives, one of each; undefined where an alternative has none, or the rule cannot be read. */
function hostTermsOf(rule: string): ReadonlySet<Term> | undefined {
  try {
    const found = new RuleParser(rule)
      .parse()
      .map((terms) => terms.find(({ matcher }) => /^host(sni)?(header|regexp)?$/i.test(matcher)))
    return found.every((term) => term !== undefined) ? new Set(found) : undefined
  } catch (error) {
    if (error instanceof RuleProblem) return undefined
    throw error
  }
}

/** A host as sites have it. */
const plainHost = (text: string): string => text.toLowerCase().replace(/\.$/, '')

/** What stands for itself at both ends of a pattern for hosts, each as a pattern; every host that the whole one takes matches them. */
function literalsOf(pattern: string): RegExp[] {
  const text = pattern.replace(/\$$/, '')
  if (hasAlternatives(text)) return []
  const isAnchored = text.startsWith('^')
  const [start, end] = [startOf(isAnchored ? text.slice(1) : text), endOf(text)]
  return [
    ...(start === '' ? [] : [new RegExp(isAnchored ? `^${start}` : start, 'i')]),
    ...(end === '' ? [] : [new RegExp(end, 'i')]),
  ]
}

function startOf(text: string): string {
  const [whole] = /^(?:[a-z0-9.-]|\\[.-])*/i.exec(text) ?? ['']
  // What is repeated, or may be left out, is no part of it.
  const isRepeated = /[?*+{]/.test(text[whole.length] ?? '')
  return isRepeated ? whole.replace(/\\?.$/, '') : whole
}

function endOf(text: string): string {
  let at = text.length
  while (at > 0) {
    const isEscaped = text[at - 2] === '\\'
    if (!/[a-z0-9.-]/i.test(text[at - 1] ?? '') || (isEscaped && !/[.-]/.test(text[at - 1] ?? ''))) break
    at -= isEscaped ? 2 : 1
  }
  return text.slice(at)
}

/** True for a pattern with a `|` outside of brackets. */
function hasAlternatives(pattern: string): boolean {
  let depth = 0
  for (const [sign] of pattern.matchAll(/\\[^]|[()[\]{}|]/g)) {
    if (sign === '|' && depth <= 0) return true
    if (/[([{]/.test(sign) && sign.length === 1) depth += 1
    else if (/[)\]}]/.test(sign) && sign.length === 1) depth -= 1
  }
  return false
}

class RuleProblem extends Error {}

const tokenRule = /\s*(?:([A-Za-z]+)\s*\(\s*([`"][^`"]*[`"](?:\s*,\s*[`"][^`"]*[`"])*\s*)\)|(&&|\|\||!|\(|\)))/y

class RuleParser {
  readonly #tokens: (Term | string)[] = []
  #at = 0
  #depth = 0

  constructor(rule: string) {
    const text = rule.trim()
    if (text.length > maxLength) throw new RuleProblem(`a rule of more than ${maxLength} characters`)
    const next = new RegExp(tokenRule)
    for (next.lastIndex = 0; next.lastIndex < text.length;) {
      const found = next.exec(text)
      if (found === null) throw new RuleProblem(`a rule that is not understood: ${text.slice(0, 200)}`)
      const [, matcher, values = '', sign = ''] = found
      const texts = Array.from(values.matchAll(/[`"]([^`"]*)[`"]/g), ([, value = '']) => value)
      this.#tokens.push(matcher === undefined ? sign : { matcher, values: texts })
    }
  }

  parse(): Alternatives {
    const found = this.#any()
    if (this.#at < this.#tokens.length) throw new RuleProblem('a rule with something after its end')
    return found
  }

  #any(): Alternatives {
    let found = this.#all()
    while (this.#takes('||')) found = bounded([...found, ...this.#all()])
    return found
  }

  #all(): Alternatives {
    let found = this.#one()
    while (this.#takes('&&')) {
      const next = this.#one()
      if (found.length * next.length > maxAlternatives) throw new RuleProblem('a rule with too many alternatives')
      if ((found[0]?.length ?? 0) >= maxTerms) throw new RuleProblem('a rule with too many terms')
      found = found.flatMap((left) => next.map((right) => left.concat(right)))
    }
    return found
  }

  #one(): Alternatives {
    if (this.#takes('(')) {
      this.#enter()
      const found = this.#any()
      if (!this.#takes(')')) throw new RuleProblem('a rule with a parenthesis that is not closed')
      this.#depth -= 1
      return found
    }
    if (this.#takes('!')) {
      this.#enter()
      this.#one()
      this.#depth -= 1
      return [[{ matcher: '!', values: [] }]]
    }
    const term = this.#tokens[this.#at]
    if (term === undefined || typeof term === 'string') throw new RuleProblem('a rule that is not complete')
    this.#at += 1
    return [[term]]
  }

  #enter(): void {
    this.#depth += 1
    if (this.#depth > maxDepth) throw new RuleProblem('a rule that is nested too deeply')
  }

  #takes(sign: string): boolean {
    if (this.#tokens[this.#at] !== sign) return false
    this.#at += 1
    return true
  }
}

function bounded(alternatives: Alternatives): Alternatives {
  if (alternatives.length > maxAlternatives) throw new RuleProblem('a rule with too many alternatives')
  return alternatives
}

function matchOf(terms: readonly Term[]): RouteMatch {
  const of = (...matchers: string[]) => terms.filter(({ matcher }) => matchers.includes(matcher))
  const other = terms.find(({ matcher }) => !['Host', 'PathPrefix', 'Path'].includes(matcher))
  if (other !== undefined)
    throw new RuleProblem(other.matcher === '!' ? 'a rule with a negation' : `a rule with ${other.matcher}`)
  const [hosts, paths] = [of('Host'), of('PathPrefix', 'Path')]
  if (hosts.length !== 1) throw new RuleProblem(hosts.length === 0 ? 'a rule without a host' : 'a rule with two hosts')
  if (paths.length > 1 || paths.some(({ values }) => values.length !== 1))
    throw new RuleProblem('a rule with several paths at once')
  const names = hosts.flatMap(({ values }) => values.map(plainHost))
  const [path] = paths
  const text = path?.values[0] ?? '/'
  if (path === undefined || (path.matcher === 'PathPrefix' && text === '/')) return { hosts: names }
  if (!/^\/[^\s{}*$^()]*$/.test(text)) throw new RuleProblem(`a rule with the pattern ${text.slice(0, 100)}`)
  return { hosts: names, path: { match: path.matcher === 'Path' ? 'exact' : 'prefix', path: text } }
}
