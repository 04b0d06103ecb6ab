import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import { SharedPortSettings, SharedPortView } from './schema.ts'
import type { SharedPort } from './shared-port.ts'

/** Settings and state of the shared ports. */
export function sharedPortRoutes(sharedPort: SharedPort, changed: () => void, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'Administration', access: 'admin', limit: 'counted', path: '/admin/api/shared-port' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Settings and state of the shared ports',
        success: { status: 200, body: SharedPortView },
      },
      () => sharedPort.view(),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        summary: 'Replace the settings of the shared ports',
        description: 'Takes effect immediately. Programs that are connected have to connect again.',
        body: SharedPortSettings,
        success: { status: 200, body: SharedPortView },
      },
      async ({ caller, body, client }) => {
        await sharedPort.change(body)
        changed()
        await securityLog.record({
          kind: 'rights_changed',
          ...eventOrigin(caller, client),
          target: 'writes by shared ports',
          detail: describeWrites(body),
        })
        return sharedPort.view()
      },
    ),
  ]
}

/** Who may write what, for the security log. */
function describeWrites({ enabled, clients }: SharedPortSettings): string {
  const writers = clients.filter(({ may_write: names }) => names.length > 0)
  if (!enabled || writers.length === 0) return 'nobody'
  const lines = writers.map(({ name, network, may_write: names }) => `${name} (${network}): ${names.join(', ')}`)
  return lines.join('; ').slice(0, 1000)
}
