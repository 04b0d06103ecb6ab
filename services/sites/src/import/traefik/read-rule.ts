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
      this.#depth += 1
      if (this.#depth > maxDepth) throw new RuleProblem('a rule that is nested too deeply')
      const found = this.#any()
      if (!this.#takes(')')) throw new RuleProblem('a rule with a parenthesis that is not closed')
      this.#depth -= 1
      return found
    }
    const term = this.#tokens[this.#at]
    if (term === '!') throw new RuleProblem('a rule with a negation')
    if (term === undefined || typeof term === 'string') throw new RuleProblem('a rule that is not complete')
    this.#at += 1
    return [[term]]
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
  if (other !== undefined) throw new RuleProblem(`a rule with ${other.matcher}`)
  const [hosts, paths] = [of('Host'), of('PathPrefix', 'Path')]
  if (hosts.length !== 1) throw new RuleProblem(hosts.length === 0 ? 'a rule without a host' : 'a rule with two hosts')
  if (paths.length > 1 || paths.some(({ values }) => values.length !== 1))
    throw new RuleProblem('a rule with several paths at once')
  const names = hosts.flatMap(({ values }) => values.map((value) => value.toLowerCase()))
  const [path] = paths
  const text = path?.values[0] ?? '/'
  if (path === undefined || (path.matcher === 'PathPrefix' && text === '/')) return { hosts: names }
  if (!/^\/[^\s{}*$^()]*$/.test(text)) throw new RuleProblem(`a rule with the pattern ${text.slice(0, 100)}`)
  return { hosts: names, path: { match: path.matcher === 'Path' ? 'exact' : 'prefix', path: text } }
}
