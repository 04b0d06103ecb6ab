import type { SiteFigures } from '../prometheus/uptime-collector.ts'
import { siteSubject } from './site-targets.ts'
import type { Uptime } from './uptime.ts'
import { stateOf } from './uptime-views.ts'

/** Returns the checked sites as monitoring shows them. */
export function siteFigures(uptime: Uptime): SiteFigures[] {
  return uptime.sites.flatMap((site) => {
    const state = stateOf(uptime, site)
    if (state === 'off') return []
    const isKnown = state === 'up' || state === 'down'
    return [
      {
        site: site.name,
        isUp: isKnown ? state === 'up' : undefined,
        latencyMs: uptime.subjects.get(siteSubject(site.id))?.latencyMs,
        isInMaintenance: state === 'maintenance',
      },
    ]
  })
}
