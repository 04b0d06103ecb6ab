import { isObject } from '../config/json-location.ts'
import type { Effects } from './read-middlewares.ts'
import type { HostTest } from './read-rule.ts'
import { own, shown, textOf, withoutProvider } from './read-service.ts'
import type { Route } from './site-routes.ts'

type Definition = Readonly<Record<string, unknown>>

/** A router that becomes no part of a site, and kept visitors away from a part of its hosts. */
export interface ClosedRouter {
  /** JSON pointer of the router. */
  readonly place: string
  readonly priority: number
  /** True where it was for plain HTTP alone. */
  readonly isPlain: boolean
  readonly isFor: HostTest
}

/** Routers that are left out though they kept visitors away: what they took is answered by other routers of their hosts. */
export class LeftOutRouters {
  readonly #closed: ClosedRouter[] = []

  add(router: ClosedRouter): void {
    this.#closed.push(router)
  }

  /** Places of those that took requests for this host before one of its routes did. */
  before(routes: readonly Route[], host: string): string[] {
    const lowest = Math.min(...routes.map(({ priority }) => priority))
    const isSecure = routes.some((route) => route.isSecure)
    // Of the same priority either may have been the first. What HTTPS answers was open to visitors of plain HTTP as well.
    return this.#closed.flatMap(({ place, priority, isPlain, isFor }) =>
      priority >= lowest && !(isSecure && isPlain) && isFor(host) ? [place] : [],
    )
  }
}

/** True for what asks anything of visitors, or may do so. */
export const asksVisitors = ({ hashes, allow, forwardAuth, unsafe }: Effects): boolean =>
  hashes !== undefined || allow !== undefined || forwardAuth !== undefined || unsafe.length > 0

/** Why visitors of a router with this `tls` would no longer need a certificate of their own. */
export function clientCertificatesOf(tls: Definition, document: Definition): string[] {
  const all = isObject(document['tls']) ? document['tls'] : {}
  // Routers that name no options have those of the name `default`.
  const name = withoutProvider(textOf(tls['options']) || 'default')
  const options = isObject(all['options']) ? own(all['options'], name) : undefined
  if (isObject(options))
    return options['clientAuth'] === undefined ? [] : ['certificates of visitors, whose authority has to be uploaded']
  return name === 'default' ? [] : [`the TLS options ${shown(name)}, which are not in this file`]
}
