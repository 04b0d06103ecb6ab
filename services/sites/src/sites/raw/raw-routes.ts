import { checkRawMatcher, rawHandlers, rawMatchers, type Json } from './raw-handlers.ts'

const host = 'hearth-raw.invalid'
const maxDepth = 40
const maxNodes = 20_000

/** Bounds of the directives of a site. */
export interface RawLimits {
  /** Reason why a directory must not be served, or undefined. */
  readonly rootProblem: (root: string) => string | undefined
  /** Reason why an upstream must not be reached, or undefined; its address as a site has it. */
  readonly upstreamProblem: (url: string) => string | undefined
}

/** Goes through the routes and collects what is wrong. */
export interface RawWalk {
  readonly limits: RawLimits
  report(problem: string): void
  onlyMembers(what: string, value: Json, members: readonly string[]): void
  routes(value: unknown): void
  matchers(value: unknown): void
}

/** The directives as the one site of a Caddyfile, to be given to `/adapt`; look at them with `rawTextProblem` first. */
export function wrapRawDirectives(text: string): string {
  return `http://${host} {\n${text}\n}\n`
}

/**
 * Judges what `/adapt` made of wrapped directives. Accepted are only the routes of exactly the one site that was wrapped, of
 * handlers and matchers that are known to be harmless; everything else is a problem, in words for the administrator. The
 * accepted routes begin with a nonexistent root, so that a file server without its own root serves nothing.
 */
export function readRawRoutes(
  adapted: unknown,
  limits: RawLimits,
): { readonly routes: object[] } | { readonly problems: readonly string[] } {
  const problems = new Set<string>()
  const walk = createWalk(limits, (problem) => void problems.add(problem))
  const inner = onlySite(adapted, walk)
  if (inner !== undefined) {
    checkTexts(inner, walk)
    if (problems.size === 0) walk.routes(inner)
  }
  if (problems.size > 0 || inner === undefined) return { problems: [...problems].slice(0, 20) }
  return { routes: [{ handle: [{ handler: 'vars', root: '/hearth-no-root' }] }, ...(inner as object[])] }
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The routes inside the wrapped site, when there is nothing beside it. */
function onlySite(adapted: unknown, walk: RawWalk): readonly unknown[] | undefined {
  const refuse = () => {
    walk.report(beside)
    return undefined
  }
  const beside = 'the directives make more than routes of this site (a second site, a log, TLS, errors or an option)'
  const only = (value: unknown, ...members: string[]): Json | undefined => {
    const isIt = isObject(value) && Object.keys(value).every((member) => members.includes(member))
    if (!isIt) walk.report(beside)
    return isIt ? value : undefined
  }
  const http = only(only(adapted, 'apps')?.['apps'], 'http')?.['http']
  const servers = only(http, 'servers')?.['servers']
  const server = only(only(servers, 'srv0')?.['srv0'], 'listen', 'routes')
  const routes = server?.['routes']
  if (server === undefined) return undefined
  if (!Array.isArray(routes) || routes.length !== 1) return refuse()
  const route = only(routes[0], 'match', 'handle', 'terminal')
  const handle = route?.['handle']
  const isOurs = JSON.stringify(route?.['match']) === JSON.stringify([{ host: [host] }])
  if (!isOurs || !Array.isArray(handle) || handle.length !== 1) return refuse()
  const subroute = only(handle[0], 'handler', 'routes')
  const inner = subroute?.['routes']
  if (subroute?.['handler'] !== 'subroute' || !Array.isArray(inner)) return refuse()
  return inner
}

/** Texts and names everywhere: none may read what the machine knows, none may be an id, and there is an end to them. */
function checkTexts(value: unknown, walk: RawWalk): void {
  let nodes = 0
  const visit = (value: unknown, depth: number): void => {
    nodes++
    if (depth > maxDepth || nodes > maxNodes) return walk.report('the directives are too many or too deep')
    if (typeof value === 'string') return checkText(value, walk)
    if (value === null || typeof value !== 'object') return undefined
    for (const [name, member] of Object.entries(value)) {
      if (name === '@id') walk.report('@id is not allowed')
      checkText(name, walk)
      visit(member, depth + 1)
    }
  }
  visit(value, 0)
}

function checkText(text: string, walk: RawWalk): void {
  if (/\{\s*(env|file|system)\b/i.test(text))
    walk.report('placeholders of the environment, of files or of the system are not allowed')
}

function createWalk(limits: RawLimits, report: (problem: string) => void): RawWalk {
  const walk: RawWalk = {
    limits,
    report,
    onlyMembers: (what, value, members) => {
      const other = Object.keys(value).find((member) => !members.includes(member))
      if (other !== undefined) report(`${what} must not have ${other}`)
    },
    routes: (value) => {
      if (value !== undefined && !Array.isArray(value)) return report('routes must be a list')
      for (const route of (value ?? []) as unknown[]) checkRoute(isObject(route) ? route : {}, walk)
    },
    matchers: (value) => {
      if (value !== undefined && !Array.isArray(value)) return report('matchers must be a list')
      for (const set of (value ?? []) as unknown[])
        for (const [name, matcher] of Object.entries(isObject(set) ? set : {})) checkMatcher(name, matcher, walk)
    },
  }
  return walk
}

function checkRoute(route: Json, walk: RawWalk): void {
  walk.onlyMembers('a route', route, ['group', 'match', 'handle', 'terminal'])
  walk.matchers(route['match'])
  const handlers = route['handle'] ?? []
  if (!Array.isArray(handlers)) return walk.report('handlers must be a list')
  for (const handler of handlers as unknown[]) checkHandler(isObject(handler) ? handler : {}, walk)
}

function checkHandler(value: Json, walk: RawWalk): void {
  const { handler, ...members } = value
  const rule = typeof handler === 'string' && Object.hasOwn(rawHandlers, handler) ? rawHandlers[handler] : undefined
  if (!rule) return walk.report(`the handler ${JSON.stringify(handler)} is not allowed`)
  if (!rule.members.includes('*')) walk.onlyMembers(String(handler), members, rule.members)
  rule.check?.(members, walk)
}

function checkMatcher(name: string, value: unknown, walk: RawWalk): void {
  if (!rawMatchers.has(name)) return walk.report(`the matcher ${name} is not allowed`)
  checkRawMatcher(name, value, walk)
}
