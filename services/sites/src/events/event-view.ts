import type { Role } from '../accounts/schema.ts'
import type { SiteEvent } from './schema.ts'

/** What only administrators are told. */
const forAdministrators: ReadonlySet<SiteEvent['type']> = new Set(['drift', 'onboarding', 'settings'])

/** What everybody is told in full, because dashboards show it. */
const forAll: ReadonlySet<SiteEvent['type']> = new Set(['certificate', 'grade', 'traffic', 'reset'])

/** An event as a role may see it: that a site or a node changed is no secret, how it did is; undefined for not at all. */
export function eventView(event: SiteEvent, role: Role): SiteEvent | undefined {
  if (role === 'admin' || forAll.has(event.type)) return event
  return forAdministrators.has(event.type) ? undefined : { ...event, details: {} }
}
