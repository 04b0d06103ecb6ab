import type { PathRoute } from '../sites/schema.ts'
import type { Target } from './target-routes.ts'

/** Answer to a request, as far as it is known without sending it. */
export type ExplainedAnswer =
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  | { readonly kind: 'proxy'; readonly upstreams: readonly string[]; readonly policy: string; readonly uri: string }
  | { readonly kind: 'static'; readonly root: string; readonly file: string; readonly fallback: string | null }
  | { readonly kind: 'respond'; readonly status: number }
  | { readonly kind: 'raw' | 'portal' | 'status'; readonly text: string }
  | { readonly kind: 'forbidden' | 'maintenance' | 'closed'; readonly status: number; readonly text: string }
  | { readonly kind: 'stranger'; readonly status: number | null; readonly text: string }

/** Explains the answer of a site or of one of its paths. */
export function explainTarget(target: Target, path: PathRoute | undefined, url: URL): ExplainedAnswer {
  const strip = path?.strip ? path.path.replace(/\/+$/, '') : ''
  const closed = { kind: 'closed', status: 503, text: `the ${target.kind} has nothing to answer with` } as const
  switch (target.kind) {
    case 'proxy': {
      const upstreams = target.upstreams.map(({ url }) => url)
      const policy = upstreams.length > 1 ? target.lb.policy : 'first'
      return upstreams.length === 0 ? closed : { kind: 'proxy', upstreams, policy, uri: stripped(url, strip) }
    }
    case 'redirect':
      if (target.redirect === null) return closed
      return { kind: 'redirect', status: target.redirect.code, location: redirectLocation(target.redirect, url, strip) }
    case 'static': {
      if (target.static === null) return closed
      const { root, fallback } = target.static
      return { kind: 'static', root, file: stripped(url, strip).replace(/\?.*$/, ''), fallback }
    }
    case 'respond':
      return target.respond === null ? closed : { kind: 'respond', status: target.respond.status }
    case 'raw':
      return { kind: 'raw', text: 'raw directives decide' }
    case 'portal':
      return { kind: 'portal', text: 'the pages on which visitors sign in' }
    case 'status':
      return { kind: 'status', text: url.pathname === '/' ? 'the status page' : 'a page that says “Not found”' }
  }
}

/** Path and query without what is taken off in front. */
function stripped({ pathname, search }: URL, prefix: string): string {
  const rest = pathname.toLowerCase().startsWith(prefix.toLowerCase()) ? pathname.slice(prefix.length) : pathname
  return `${rest.startsWith('/') ? rest : `/${rest}`}${search}`
}

/** Returns the target of a redirect, with the placeholders of the request filled in as far as they are known. */
export function redirectLocation(
  { to, keep_path: keepsPath }: { readonly to: string; readonly keep_path: boolean },
  url: URL,
  strip: string,
): string {
  const known: Record<string, string> = {
    '{http.request.host}': url.hostname,
    '{http.request.hostport}': url.host,
    '{http.request.uri}': url.pathname + url.search,
    '{http.request.uri.path}': url.pathname,
    '{http.request.scheme}': url.protocol.slice(0, -1),
  }
  const target = to.replaceAll(/\{[^{}]*\}/g, (placeholder) => known[placeholder] ?? placeholder)
  if (!keepsPath) return target
  const origin = to.startsWith('/') ? `${url.protocol}//${url.host}` : ''
  return `${origin}${target.replace(/\/$/, '')}${stripped(url, strip)}`
}
