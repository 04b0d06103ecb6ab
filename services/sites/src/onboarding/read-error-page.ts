import { errorPageRoute } from '../caddy/error-page.ts'
import { canonicalJson } from '../caddy/canonical-json.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { plainBraces } from './caddy-values.ts'
import { at, itemsOf, reach, textOf, textsOf, type Place } from './json-place.ts'
import type { SiteReading } from './site-reading.ts'

/** The page a site shows when its upstreams fail; what errors get otherwise is reported as lost. */
export function readErrorPage(server: Place, hosts: readonly string[], reading: SiteReading): string | null {
  let page: string | null = null
  for (const route of itemsOf(reach(server, 'errors', 'routes'))) {
    const names = itemsOf(at(route, 'match')).flatMap((set) => textsOf(at(set, 'host')) ?? [])
    if (names.length > 0 && !hosts.some((host) => names.includes(host))) continue
    const found: string | undefined = page === null ? ownPage(route, names) : undefined
    if (found === undefined) reading.lost(route, 'what is shown instead of errors')
    else page = found
  }
  return page
}

/** The page of a route the compiler made. */
function ownPage(route: Place, domains: readonly string[]): string | undefined {
  const [handler] = itemsOf(at(route, 'handle'))
  const body = handler && textOf(at(handler, 'body'))
  if (body === undefined) return undefined
  const page = plainBraces(body)
  const { '@id': _id, ...rest } = route.value as Record<string, unknown>
  const ours = errorPageRoute({ id: 0, record: { error_page: page, domains: [...domains] } as unknown as SiteRecord })
  return canonicalJson(ours) === canonicalJson(rest) ? page : undefined
}
