import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { eventOrigin } from '../security-log/event-origin.ts'
import type { Approvals } from './approvals.ts'
import { ApprovalChange, ParameterList, Selection } from './schema.ts'

/** The catalog with what is shown and what may be written. */
export function approvalRoutes(approvals: Approvals, changed: () => void, securityLog: SecurityLog): Route[] {
  const shared = {
    tag: 'Administration',
    path: '/admin/api/parameters',
    access: 'admin',
    limit: 'counted',
    success: { status: 200, body: ParameterList },
  } as const
  return [
    route({ ...shared, method: 'GET', summary: 'All objects of the catalog' }, () => ({
      parameters: approvals.parameters(),
    })),
    route(
      {
        ...shared,
        method: 'PUT',
        summary: 'Select shown and writable metrics',
        description:
          'A list that is left out stays as it is. Limits are those of the wire type, not safe operating limits.',
        body: Selection,
        errors: [409],
      },
      async ({ caller, body, client }) => {
        await approvals.select(body)
        changed()
        if (body.write_names !== undefined)
          await securityLog.record({
            kind: 'rights_changed',
            ...eventOrigin(caller, client),
            target: 'writable metrics',
            detail: body.write_names.length === 0 ? 'none' : body.write_names.join(', '),
          })
        return { parameters: approvals.parameters() }
      },
    ),
    route(
      {
        ...shared,
        method: 'PATCH',
        summary: 'Approve or revoke metrics for writing',
        body: ApprovalChange,
        errors: [409],
      },
      async ({ caller, body, client }) => {
        // The part that may be refused comes first, so that no request is applied in part.
        if (body.revoke.length > 0) await approvals.revoke(body.revoke)
        if (body.approve.length > 0) await approvals.approve(body.approve)
        changed()
        const lists = { approved: body.approve, revoked: body.revoke }
        const changes = Object.entries(lists).flatMap(([verb, names]) =>
          names.length === 0 ? [] : [`${verb}: ${names.join(', ')}`],
        )
        if (changes.length > 0)
          await securityLog.record({
            kind: 'rights_changed',
            ...eventOrigin(caller, client),
            target: 'writable metrics',
            detail: changes.join('; '),
          })
        return { parameters: approvals.parameters() }
      },
    ),
  ]
}
