import type { SiteFigures } from '../prometheus/uptime-collector.ts'
import { siteSubject } from './site-targets.ts'
import type { Uptime } from './uptime.ts'
import { stateOf } from './uptime-views.ts'

/** Most sites with figures of their own. */
const maxSites = 1000

/** Returns the checked sites as monitoring shows them, those that are down first. */
export function siteFigures(uptime: Uptime): SiteFigures[] {
  const figures = uptime.sites.flatMap((site): SiteFigures[] => {
    const state = stateOf(uptime, site)
    if (state === 'off') return []
    return [{ site: site.name, state, latencyMs: uptime.subjects.get(siteSubject(site.id))?.latencyMs }]
  })
  if (figures.length <= maxSites) return figures
  return figures
    .toSorted((one, other) => Number(other.state === 'down') - Number(one.state === 'down'))
    .slice(0, maxSites)
}
