import type { AnswerMembers, ProxyMembers } from '../sites/proxy-schema.ts'
import { escapeBraces, escapePlaceholders } from '../sites/placeholders.ts'
import type { SiteKind } from '../sites/schema.ts'
import { proxyHandler, type ProxyContext } from './proxy-handler.ts'
import { redirectHandler } from './redirects.ts'

/** A site or one of its paths, as far as it says what answers. */
export type Target = ProxyMembers & AnswerMembers & { readonly kind: SiteKind }

/** The answer of a site that cannot be served as configured. The site itself could be unprotected. */
export const closedRoute = {
  handle: [{ handler: 'static_response', status_code: 503, body: 'This site is not ready.\n' }],
  terminal: true,
}

/** Routes of what answers in the end. `raw` are the routes of a site of kind raw. */
export function targetRoutes(target: Target, context: ProxyContext, raw: readonly object[] = []): object[] {
  const { kind, redirect, static: files, respond, upstreams } = target
  switch (kind) {
    case 'proxy':
      return upstreams.length === 0 ? [closedRoute] : [{ handle: [proxyHandler(target, context)] }]
    case 'redirect':
      return redirect === null ? [closedRoute] : [{ handle: [redirectHandler(redirect)] }]
    case 'static':
      return files === null ? [closedRoute] : staticRoutes(files)
    case 'respond':
      return respond === null ? [closedRoute] : [{ handle: [fixedAnswer(respond)] }]
    case 'raw':
      return [...raw]
    case 'portal':
    case 'status':
      return [closedRoute]
  }
}

function fixedAnswer({ status, body, content_type: type }: NonNullable<AnswerMembers['respond']>): object {
  return {
    handler: 'static_response',
    status_code: status,
    headers: { 'Content-Type': [escapePlaceholders(type)] },
    body: escapePlaceholders(body),
  }
}

/** Files that many document roots contain and that must not be served. */
const hidden = ['.git', '.svn', '.hg', '.env', '.htaccess', '.htpasswd', '.DS_Store']

/** Routes that serve files of a directory. */
function staticRoutes(files: NonNullable<AnswerMembers['static']>): object[] {
  const root = escapeBraces(files.root)
  const serve = {
    handler: 'file_server',
    root,
    index_names: [...files.index],
    hide: hidden,
    ...(files.browse && { browse: {} }),
  }
  if (files.fallback === null) return [{ handle: [serve] }]
  const tryFiles = [
    '{http.request.uri.path}',
    ...files.index.map((name) => `{http.request.uri.path}/${name}`),
    files.fallback,
  ]
  return [
    {
      match: [{ file: { root, try_files: tryFiles } }],
      handle: [{ handler: 'rewrite', uri: '{http.matchers.file.relative}' }],
    },
    { handle: [serve] },
  ]
}
