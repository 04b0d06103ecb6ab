import type { SiteRecord } from '../sites/schema.ts'
import { escapeBraces } from '../sites/placeholders.ts'
import { dialOf, schemeOf } from '../sites/upstream-url.ts'

/**
 * Handlers that query another server about each request. A status of 2xx lets it pass, with the copied headers; any
 * other answer goes to the visitor. What the client sent under the copied names is removed first, for not every Caddy does that;
 * also with _ for -, because many applications cannot tell the two apart.
 */
export function forwardAuthHandlers(forwardAuth: SiteRecord['forward_auth']): object[] {
  if (forwardAuth === null) return []
  const { url, uri, copy_headers: names } = forwardAuth
  const check = {
    handler: 'reverse_proxy',
    upstreams: [{ dial: dialOf(url) }],
    ...(schemeOf(url) === 'https' && { transport: { protocol: 'http', tls: {} } }),
    rewrite: { method: 'GET', uri: escapeBraces(uri) },
    headers: {
      request: {
        set: {
          'X-Forwarded-Method': ['{http.request.method}'],
          'X-Forwarded-Uri': ['{http.request.uri}'],
          ...(schemeOf(url) === 'https' && { Host: ['{http.reverse_proxy.upstream.hostport}'] }),
        },
      },
    },
    handle_response: [{ match: { status_code: [2] }, routes: copyRoutes(names) }],
  }
  return [...(names.length > 0 ? [forgetHeaders(names)] : []), check]
}

/** The handler that removes headers from a request, also with _ for -. */
export function forgetHeaders(names: readonly string[]): object {
  return {
    handler: 'headers',
    request: { delete: names.flatMap((name) => [...new Set([name, name.replaceAll('-', '_')])]) },
  }
}

/**
 * A route for each header, so that one the answer does not have is not set at all. The way over a variable is needed: there a
 * header that is missing is empty, elsewhere old versions keep the placeholder's own text.
 */
export function copyRoutes(names: readonly string[]): object[] {
  const variable = (name: string) => `forward_auth_${name.toLowerCase()}`
  const values = names.map((name) => [variable(name), `{http.reverse_proxy.header.${name}}`])
  return [
    { handle: [{ handler: 'vars', ...Object.fromEntries(values) }] },
    ...names.map((name) => ({
      match: [{ not: [{ vars: { [variable(name)]: [''] } }] }],
      handle: [{ handler: 'headers', request: { set: { [name]: [`{http.vars.${variable(name)}}`] } } }],
    })),
  ]
}
