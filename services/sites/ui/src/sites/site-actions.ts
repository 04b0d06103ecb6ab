import { answer, useAction } from '@hearth/ui'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { SitePage } from './read-sites.ts'
import type { Site, SiteEnvelope } from './site.ts'
import { saveMessage } from './site-words.ts'

/** The members that have a switch in the list. */
export type Switch = 'enabled' | 'maintenance_mode'

const switched: Readonly<Record<Switch, readonly [string, string]>> = {
  enabled: ['is off now', 'is on now'],
  maintenance_mode: ['is back from maintenance', 'is in maintenance now'],
}

/** Switches a member of a site; the switch moves at once and goes back when it is refused. */
export function useSwitchSite() {
  const cache = useQueryClient()
  return useAction<{ site: Site; member: Switch; isOn: boolean }, SiteEnvelope>({
    run: async ({ site, member, isOn }) => {
      show(cache, { ...site, [member]: isOn })
      try {
        const path = { id: site.id }
        const envelope = await answer(api.PATCH('/api/sites/{id}', { params: { path }, body: { [member]: isOn } }))
        show(cache, envelope.site)
        return envelope
      } catch (error) {
        show(cache, site)
        throw error
      }
    },
    done: (envelope, { site, member, isOn }) =>
      saveMessage(envelope, `${site.site_name} ${switched[member][isOn ? 1 : 0]}`),
    renew: [keys.sites],
  })
}

/** Puts a site into the answers that hold it. */
export function show(cache: QueryClient, site: Site): void {
  cache.setQueriesData<SitePage | Site>({ queryKey: keys.sites }, (old) => {
    if (old === undefined) return undefined
    if ('rows' in old) return { ...old, rows: old.rows.map((row) => (row.id === site.id ? site : row)) }
    return old.id === site.id ? site : old
  })
}
