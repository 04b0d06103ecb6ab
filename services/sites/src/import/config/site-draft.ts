import type { HeaderChange } from '../../sites/guard-schema.ts'
import { proxyDefaults } from '../../sites/proxy-schema.ts'
import { siteDefaults, type PathRoute, type SiteCreate, type SiteRecord } from '../../sites/schema.ts'
import { pathsForHeaders, type PathHeaders } from './read-headers.ts'
import type { Target } from './read-target.ts'

/** Stages of a request, in the order of the compiler, which is the only order a site can have. */
export const phases = [
  'response_headers',
  'access',
  'maintenance',
  'body',
  'redirects',
  'basic_auth',
  'forward_auth',
  'request_headers',
  'compression',
  'paths',
  'target',
] as const
export type Phase = (typeof phases)[number]

/** A site while its routes are read. */
export interface SiteDraft {
  readonly response: ResponseHeaders
  readonly access: { allow: string[]; deny: string[]; blocksBots: boolean }
  maintenance: SiteRecord['maintenance'] | undefined
  maxBody: number | null
  readonly redirects: SiteRecord['redirects']
  hashes: Record<string, string> | undefined
  forwardAuth: SiteRecord['forward_auth']
  requestHeaders: HeaderChange[]
  compression: SiteRecord['compression']
  readonly paths: PathRoute[]
  /** Prefixes that did not hold for the bare path without a slash. */
  readonly loosePaths: Set<string>
  readonly pathHeaders: PathHeaders[]
  /** Changes that come after the paths, and so hold only for what no path took. */
  readonly rest: { request: HeaderChange[]; readonly response: ResponseHeaders }
  target: Target | undefined
}

/** Headers of the answer: those that are done at once, in order, and those that wait, the last first. */
export interface ResponseHeaders {
  readonly direct: HeaderChange[]
  readonly deferred: HeaderChange[][]
}

export const newDraft = (): SiteDraft => ({
  response: { direct: [], deferred: [] },
  access: { allow: [], deny: [], blocksBots: false },
  maintenance: undefined,
  maxBody: null,
  redirects: [],
  hashes: undefined,
  forwardAuth: null,
  requestHeaders: [],
  compression: 'off',
  paths: [],
  loosePaths: new Set(),
  pathHeaders: [],
  rest: { request: [], response: { direct: [], deferred: [] } },
  target: undefined,
})

/** The changes in the order in which they come about. */
export function inEffect({ direct, deferred }: ResponseHeaders): HeaderChange[] {
  return [...direct, ...deferred.toReversed().flat()]
}

const noAnswer: Target = {
  ...proxyDefaults,
  kind: 'respond',
  redirect: null,
  static: null,
  respond: { status: 200, body: '', content_type: 'text/plain; charset=utf-8' },
  requestHeaders: [],
  responseHeaders: [],
}

/** Finished draft, without name, domains, TLS and passwords. */
export type DraftSite = Omit<
  SiteCreate,
  'site_name' | 'domains' | 'tls' | 'force_https' | 'enabled' | 'log' | 'error_page'
>

/** Puts together the members of a site. */
export function finishDraft(draft: SiteDraft): DraftSite {
  const { requestHeaders: own, responseHeaders: ownResponse, ...target } = draft.target ?? noAnswer
  const request = [...draft.rest.request, ...own]
  const response = [...inEffect(draft.rest.response), ...ownResponse]
  const isApart = draft.paths.length + draft.pathHeaders.length > 0
  const isRestApart = isApart && request.length + response.length > 0
  const { hsts, noindex, changes } = knownHeaders(inEffect(draft.response))
  const rest = restPath(target, { request, response })
  const forHeaders = pathsForHeaders(draft.pathHeaders, { paths: draft.paths, changes: inEffect(draft.response), rest })
  const paths = [...draft.paths, ...forHeaders, ...(isRestApart ? [rest] : [])]
  return {
    ...siteDefaults,
    ...target,
    hsts,
    request_headers: isRestApart ? draft.requestHeaders : [...draft.requestHeaders, ...request],
    response_headers: isRestApart ? changes : [...changes, ...response],
    compression: draft.compression,
    basic_auth: Object.keys(draft.hashes ?? {}).map((username) => ({ username })),
    forward_auth: draft.forwardAuth,
    access: { allow: draft.access.allow, deny: draft.access.deny, noindex, block_bots: draft.access.blocksBots },
    paths,
    redirects: draft.redirects,
    max_body: draft.maxBody,
    maintenance_mode: draft.maintenance !== undefined,
    maintenance: draft.maintenance ?? siteDefaults.maintenance,
  }
}

/** All that no path took, as its own path: so it can have headers that the paths do not have. */
function restPath(
  target: Omit<Target, 'requestHeaders' | 'responseHeaders'>,
  headers: { request: HeaderChange[]; response: HeaderChange[] },
): PathRoute {
  const { request, response } = headers
  return { match: 'prefix', path: '/', strip: false, ...target, request_headers: request, response_headers: response }
}

function knownHeaders(changes: readonly HeaderChange[]) {
  // What comes before a change of the same header would come after it in a site.
  const firsts = changes.filter(({ name }, index) => {
    const same = changes.findIndex((other) => other.name.toLowerCase() === name.toLowerCase())
    return same === index
  })
  const hsts = firsts.find((change) => hstsOf(change) !== undefined)
  const noindex = firsts.find(
    ({ op, name, value }) => op === 'set' && name === 'X-Robots-Tag' && value === 'noindex, nofollow',
  )
  return {
    hsts: (hsts && hstsOf(hsts)) ?? null,
    noindex: noindex !== undefined,
    changes: changes.filter((change) => change !== hsts && change !== noindex),
  }
}

function hstsOf({ op, name, value }: HeaderChange): NonNullable<SiteRecord['hsts']> | undefined {
  if (op !== 'set' || name.toLowerCase() !== 'strict-transport-security') return undefined
  const parts = /^max-age=(\d{1,8})(; includeSubDomains)?(; preload)?$/i.exec(value.trim().replace(/;$/, ''))
  const age = Number(parts?.[1])
  if (parts === null || age > 63_072_000) return undefined
  return { max_age: age, subdomains: parts[2] !== undefined, preload: parts[3] !== undefined }
}
