import type { SiteRecord } from '../sites/schema.ts'
import { networkMatcher } from './access-matchers.ts'
import type { Capabilities } from './capabilities.ts'
import { escapeBraces } from '../sites/placeholders.ts'

const plainPage =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  '<title>Maintenance</title><h1>Maintenance</h1><p>This site is being worked on and will be back soon.</p></html>'

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
    body: escapeBraces(ownPage ?? page ?? plainPage),
  }
  const match = allow.length > 0 ? { match: [{ not: [networkMatcher(allow, capabilities)] }] } : {}
  return [{ ...match, handle: [answer], terminal: true }]
}
