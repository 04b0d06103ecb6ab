import type { HeaderChange } from '../../sites/guard-schema.ts'
import { proxyDefaults } from '../../sites/proxy-schema.ts'
import { siteDefaults, type PathRoute, type SiteCreate, type SiteRecord } from '../../sites/schema.ts'
import { type HeaderReading, pathsForHeaders, type PathHeaders } from './read-headers.ts'
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

/** Changes of the answer's headers. */
export class ResponseHeaders {
  readonly #direct: HeaderChange[] = []
  readonly #deferred: HeaderChange[][] = []

  /** Adds the changes of a handler. */
  add({ response, isDeferred }: Pick<HeaderReading, 'response' | 'isDeferred'>): void {
    if (isDeferred) this.#deferred.push([...response])
    else this.#direct.push(...response)
  }

  /** The changes in effective order: those that are done at once, then those that wait, the last first. */
  inEffect(): HeaderChange[] {
    return [...this.#direct, ...this.#deferred.toReversed().flat()]
  }
}

/** A site while its routes are read. */
export class SiteDraft {
  readonly response = new ResponseHeaders()
  readonly access = { allow: [] as string[], deny: [] as string[], blocksBots: false }
  maintenance: SiteRecord['maintenance'] | undefined
  maxBody: number | null = null
  readonly redirects: SiteRecord['redirects'] = []
  hashes: Record<string, string> | undefined
  forwardAuth: SiteRecord['forward_auth'] = null
  requestHeaders: HeaderChange[] = []
  compression: SiteRecord['compression'] = 'off'
  readonly paths: PathRoute[] = []
  /** Prefixes that did not hold for the bare path without a slash. */
  readonly loosePaths = new Set<string>()
  readonly pathHeaders: PathHeaders[] = []
  /** Changes that come after the paths, and so hold only for what no path took. */
  readonly rest = { request: [] as HeaderChange[], response: new ResponseHeaders() }
  target: Target | undefined
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
  const response = [...draft.rest.response.inEffect(), ...ownResponse]
  const isApart = draft.paths.length + draft.pathHeaders.length > 0
  const isRestApart = isApart && request.length + response.length > 0
  const siteChanges = draft.response.inEffect()
  const { hsts, noindex, changes } = knownHeaders(siteChanges)
  // What no path took becomes a path, so that it can have headers that the paths do not have.
  const headers = { request_headers: request, response_headers: response }
  const rest: PathRoute = { match: 'prefix', path: '/', strip: false, ...target, ...headers }
  const forHeaders = pathsForHeaders(draft.pathHeaders, { paths: draft.paths, changes: siteChanges, rest })
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
