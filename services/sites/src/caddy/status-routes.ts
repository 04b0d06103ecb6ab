import type { PortalSockets } from './desired-state.ts'

/** Header in which Caddy names the status page of a site; a visitor's own is replaced. */
export const statusPageHeader = 'X-Hearth-Status-Page'

/** Routes of a site that shows a status page. */
export function statusRoutes({ status }: PortalSockets, slug: string): object[] {
  const headers = { request: { set: { [statusPageHeader]: [slug] } } }
  return [{ handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: status }], headers }] }]
}
