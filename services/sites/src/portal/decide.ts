import { BlockList, isIP } from 'node:net'
import type { SignInRule, SiteSignIn } from '../sites/sign-in-schema.ts'
import { foldPath, readRequestPath, type RequestPath } from './request-path.ts'

/** A user who signed in, or whose token was sent, as decisions need one. */
export interface PortalUser {
  readonly id: string
  readonly username: string
  readonly email: string | null
  readonly groups: ReadonlySet<string>
}

/** A request to a protected site. */
export interface PortalRequest {
  readonly method: string
  /** Path and query, as the client sent them. */
  readonly target: string
  /** Address of the visitor; undefined when it is not known, and then perhaps in any network. */
  readonly address: string | undefined
}

/** What a request needs: nothing, a user of some groups, or something that nobody has. */
interface Requirement {
  readonly access: SignInRule['access']
  readonly groups: readonly string[]
  /** Number of the rule, from 0; undefined for the groups of the site. */
  readonly rule: number | undefined
}

/** Decision about a request, with the requirement that decided it. */
export interface Decision {
  readonly outcome: 'allow' | 'sign_in' | 'forbidden'
  /** Number of the rule that decided, from 0; undefined for the groups of the site. */
  readonly rule: number | undefined
  /** True when the path can be read in several ways or the address is not known, so that several rules had to agree. */
  readonly isAmbiguous: boolean
}

type Match = 'yes' | 'maybe' | 'no'

interface CompiledRule extends Requirement {
  readonly matchesPath: (path: RequestPath) => Match
  readonly methods: ReadonlySet<string> | undefined
  readonly networks: BlockList | undefined
}

/** The rules of a protected site, ready for decisions. */
export interface CompiledSignIn {
  readonly rules: readonly CompiledRule[]
  readonly otherwise: Requirement
  /** True when a rule names methods. */
  readonly namesMethods: boolean
}

/** Compiles the rules of a site. Throws for a network that is none. */
export function compileSignIn({ groups, rules }: SiteSignIn): CompiledSignIn {
  return {
    rules: rules.map((rule, index) => ({
      access: rule.access,
      groups: rule.groups,
      rule: index,
      matchesPath: pathMatcher(rule),
      methods: rule.methods.length === 0 ? undefined : methodSet(rule.methods),
      networks: rule.networks.length === 0 ? undefined : networkSet(rule.networks),
    })),
    otherwise: { access: 'sign_in', groups, rule: undefined },
    namesMethods: rules.some(({ methods }) => methods.length > 0),
  }
}

/**
 * Decides about a request. The first rule that it meets decides; a rule that it may or may not meet, because servers read its path
 * in different ways or its address is not known, has to agree with the rest.
 */
export function decide(site: CompiledSignIn, request: PortalRequest, user: PortalUser | undefined): Decision {
  const path = readRequestPath(request.target)
  const requirements = requirementsOf(site, request, path)
  const worst = requirements
    .map((requirement) => ({ outcome: outcomeOf(requirement, user), rule: requirement.rule }))
    .reduce((one, other) => (severity[other.outcome] > severity[one.outcome] ? other : one))
  return { ...worst, isAmbiguous: requirements.length > 1 }
}

/** Without a user only a path that is denied to everybody is forbidden, so nobody signs in for nothing. */
const severity = { allow: 0, sign_in: 1, forbidden: 2 } as const

function outcomeOf({ access, groups }: Requirement, user: PortalUser | undefined): Decision['outcome'] {
  if (access === 'open') return 'allow'
  if (access === 'denied') return 'forbidden'
  if (user === undefined) return 'sign_in'
  return groups.length === 0 || groups.some((group) => user.groups.has(group)) ? 'allow' : 'forbidden'
}

function requirementsOf(site: CompiledSignIn, request: PortalRequest, path: RequestPath): Requirement[] {
  const found: Requirement[] = []
  for (const rule of site.rules) {
    const match = matchOf(rule, request, path)
    if (match !== 'no') found.push(rule)
    if (match === 'yes') return found
  }
  return [...found, site.otherwise]
}

function matchOf({ methods, networks, matchesPath }: CompiledRule, request: PortalRequest, path: RequestPath): Match {
  // Many servers take a method in small letters for the same.
  if (methods !== undefined && !methods.has(request.method.toUpperCase())) return 'no'
  const isInside = networks === undefined ? 'yes' : networkMatch(networks, request.address)
  return isInside === 'yes' ? matchesPath(path) : isInside === 'maybe' && matchesPath(path) !== 'no' ? 'maybe' : 'no'
}

function networkMatch(networks: BlockList, address = ''): Match {
  const plain = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  const family = isIP(plain)
  if (family === 0) return 'maybe'
  return networks.check(plain, family === 4 ? 'ipv4' : 'ipv6') ? 'yes' : 'no'
}

/** A server answers HEAD as GET. */
function methodSet(methods: readonly string[]): ReadonlySet<string> {
  return new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)
}

function networkSet(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    const isSix = address.includes(':')
    list.addSubnet(address, Number(length ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
  }
  return list
}

/** Many servers do not tell capitals apart, nor a path with a slash at its end from one without: there a rule may match. */
function pathMatcher({ match, path }: SignInRule): (path: RequestPath) => Match {
  const bare = path.replace(/\/+$/, '')
  if (match === 'prefix' && bare === '') return () => 'yes'
  const folded = foldPath(bare)
  return (request) => {
    if (request.isAmbiguous) return 'maybe'
    if (match === 'exact') {
      if (request.path === path) return 'yes'
      return request.folded() === folded ? 'maybe' : 'no'
    }
    if (isWithin(request.path, bare)) return 'yes'
    return isWithin(request.folded(), folded) ? 'maybe' : 'no'
  }
}

const isWithin = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`)
