import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import type { InverterSearch } from './inverter-search.ts'
import { InverterSearchView, SearchRequest } from './schema.ts'

/** The search for inverters in the networks of this host. */
export function discoveryRoutes(search: InverterSearch, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
  const path = '/admin/api/inverter-search'
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path,
        summary: 'Networks of this host, and the search that runs or was the last one',
        success: { status: 200, body: InverterSearchView },
      },
      () => search.view(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path,
        summary: 'Search for inverters in networks of this host',
        description: 'Answers at once. Each address gets one connection, and one that listens a few reads.',
        body: SearchRequest,
        success: { status: 202, body: InverterSearchView },
        errors: [409],
      },
      async ({ body, caller, client }) => {
        const view = search.begin(body.networks)
        await securityLog.record({
          kind: 'network_searched',
          ...eventOrigin(caller, client),
          target: body.networks.join(', '),
        })
        return view
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: `${path}:cancel`,
        summary: 'End the search; what was found stays',
        success: { status: 200, body: InverterSearchView },
      },
      () => search.cancel(),
    ),
  ]
}
