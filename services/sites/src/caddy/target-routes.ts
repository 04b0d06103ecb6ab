import type { AnswerMembers } from '../sites/answer-schema.ts'
import type { ProxyMembers } from '../sites/proxy-schema.ts'
import type { SiteKind } from '../sites/schema.ts'
import { escapePlaceholders } from './placeholders.ts'
import { proxyHandler, type ProxySurroundings } from './proxy-handler.ts'
import { redirectHandler } from './redirects.ts'
import { staticRoutes } from './static-files.ts'

/** A site or one of its paths, as far as it says what answers. */
export type Target = ProxyMembers & AnswerMembers & { readonly kind: SiteKind }

/** An answer for what cannot be served as it was meant. Never the site itself: it might stand open. */
export const closedRoute = {
  handle: [{ handler: 'static_response', status_code: 503, body: 'This site is not ready.\n' }],
  terminal: true,
}

/** Routes of what answers in the end. `raw` are the routes of a site of kind raw. */
export function targetRoutes(target: Target, around: ProxySurroundings, raw: readonly object[] = []): object[] {
  const { kind, redirect, static: files, respond, upstreams } = target
  switch (kind) {
    case 'proxy':
      return upstreams.length === 0 ? [closedRoute] : [{ handle: [proxyHandler(target, around)] }]
    case 'redirect':
      return redirect === null ? [closedRoute] : [{ handle: [redirectHandler(redirect)] }]
    case 'static':
      return files === null ? [closedRoute] : staticRoutes(files)
    case 'respond':
      return respond === null ? [closedRoute] : [{ handle: [fixedAnswer(respond)] }]
    case 'raw':
      return [...raw]
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
