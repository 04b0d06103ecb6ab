import type { SiteRecord } from '../sites/schema.ts'
import { escapeBraces } from '../sites/placeholders.ts'
import type { Capabilities } from './capabilities.ts'
import { plainPage } from './plain-page.ts'

/** Crawlers that name themselves. */
const bots = 'bot\\b|crawler|spider|slurp|facebookexternalhit|mediapartners-google|petalbot|gptbot|ccbot|bytespider'

/** Returns true for a User-Agent that names a crawler. */
export function isBot(userAgent: string): boolean {
  return new RegExp(bots, 'i').test(userAgent)
}

/** A matcher for clients in one of the networks: the visitor behind trusted proxies where the node supports that. */
export function networkMatcher(ranges: readonly string[], { clientIpMatcher }: Capabilities): object {
  return { [clientIpMatcher ? 'client_ip' : 'remote_ip']: { ranges: [...ranges] } }
}

/** Routes that answer 403 to denied clients. Deny rules precede allow rules. */
export function accessRoutes({ access }: Pick<SiteRecord, 'access'>, capabilities: Capabilities): object[] {
  const { allow, deny, block_bots: blocksBots } = access
  const refuse = { handle: [{ handler: 'static_response', status_code: 403, body: 'Forbidden\n' }], terminal: true }
  return [
    ...(deny.length > 0 ? [{ match: [networkMatcher(deny, capabilities)], ...refuse }] : []),
    ...(allow.length > 0 ? [{ match: [{ not: [networkMatcher(allow, capabilities)] }], ...refuse }] : []),
    ...(blocksBots ? [{ match: [{ header_regexp: { 'User-Agent': { pattern: `(?i)(${bots})` } } }], ...refuse }] : []),
  ]
}

const workPage = plainPage('Maintenance', 'This site is being worked on and will be back soon.')

/** The route that answers 503 to all but the allowed networks while the site is in maintenance. */
export function maintenanceRoutes(record: SiteRecord, page: string | undefined, capabilities: Capabilities): object[] {
  if (!record.maintenance_mode) return []
  const { allow, retry_after: retryAfter, page: ownPage } = record.maintenance
  const answer = {
    handler: 'static_response',
    status_code: 503,
    headers: {
      'Content-Type': ['text/html; charset=utf-8'],
      'Retry-After': [String(retryAfter)],
      'Cache-Control': ['no-store'],
    },
    body: escapeBraces(ownPage ?? page ?? workPage),
  }
  const match = allow.length > 0 ? { match: [{ not: [networkMatcher(allow, capabilities)] }] } : {}
  return [{ ...match, handle: [answer], terminal: true }]
}
