import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { Done } from '../accounts/schema.ts'
import type { Portal } from './portal.ts'
import {
  AccessGroup,
  AccessGroupCreate,
  AccessGroupUpdate,
  GroupParams,
  IdParams,
  PortalSessionView,
  SiteTokenCreate,
  SiteTokenCreated,
  SiteTokenView,
  VisitExplain,
  VisitExplanation,
} from './schema.ts'

const tag = 'Portal'
const prefix = '/api/v1/portal'
const read = { tag, method: 'GET', access: 'admin-session', limit: '60/min' } as const
const write = { tag, access: 'admin-session', limit: '30/min' } as const

/** Groups, sessions and tokens of protected sites, and why somebody may visit an address. */
export function portalRoutes(portal: Portal, securityLog: SecurityLog): Route[] {
  return [
    ...groupRoutes(portal, securityLog),
    ...tokenRoutes(portal, securityLog),
    ...sessionRoutes(portal, securityLog),
    route(
      {
        ...read,
        method: 'POST',
        path: `${prefix}/explain`,
        summary: 'Explain why somebody may, or may not, visit an address',
        description: 'Decided as a request would be. Nothing is sent, and nothing is changed.',
        body: VisitExplain,
        success: { status: 200, body: VisitExplanation },
        errors: [400],
      },
      ({ body }) => portal.explain(body),
    ),
  ]
}

function groupRoutes({ groups }: Portal, securityLog: SecurityLog): Route[] {
  const one = { ...write, path: `${prefix}/groups/{name}`, params: GroupParams } as const
  return [
    route(
      {
        ...read,
        path: `${prefix}/groups`,
        summary: 'List groups',
        success: { status: 200, body: z.array(AccessGroup) },
      },
      () => groups.list(),
    ),
    route(
      {
        ...write,
        method: 'POST',
        path: `${prefix}/groups`,
        summary: 'Create a group',
        description: 'A group keeps its name.',
        body: AccessGroupCreate,
        success: { status: 201, body: AccessGroup },
        errors: [409],
      },
      ({ caller: by, body, client: from }) => {
        const event = { kind: 'rights_changed', by, from, target: body.name, detail: 'group created' } as const
        return securityLog.recordAfter(groups.create(body), event)
      },
    ),
    route(
      {
        ...one,
        method: 'PUT',
        summary: 'Replace the members of a group',
        body: AccessGroupUpdate,
        success: { status: 200, body: AccessGroup },
        errors: [404],
      },
      ({ caller: by, params, body, client: from }) => {
        const event = { kind: 'rights_changed', by, from, target: params.name, detail: 'members of the group' } as const
        return securityLog.recordAfter(groups.update(params.name, body.user_ids), event)
      },
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete a group',
        description: 'A group that a site or an application names stays.',
        success: { status: 200, body: Done },
        errors: [404, 409],
      },
      async ({ caller: by, params, client: from }) => {
        const event = { kind: 'rights_changed', by, from, target: params.name, detail: 'group deleted' } as const
        await securityLog.recordAfter(groups.remove(params.name), event)
        return { success: true as const, message: 'Group deleted' }
      },
    ),
  ]
}

function tokenRoutes({ tokens }: Portal, securityLog: SecurityLog): Route[] {
  return [
    route(
      {
        ...read,
        path: `${prefix}/tokens`,
        summary: 'List tokens for sites',
        success: { status: 200, body: z.array(SiteTokenView) },
      },
      () => tokens.list(),
    ),
    route(
      {
        ...write,
        access: 'recent-admin',
        method: 'POST',
        path: `${prefix}/tokens`,
        summary: 'Create a token for a site',
        description:
          'A program sends it to this one site in the header Authorization. The site itself does not get to see it.',
        body: SiteTokenCreate,
        success: { status: 201, body: SiteTokenCreated },
        errors: [409],
      },
      ({ caller: by, body, client: from }) => {
        const event = { kind: 'token_created', by, from, target: body.name, detail: `site: ${body.site_id}` } as const
        return securityLog.recordAfter(tokens.create(body), event)
      },
    ),
    route(
      {
        ...write,
        method: 'DELETE',
        path: `${prefix}/tokens/{id}`,
        summary: 'Revoke a token for a site',
        params: IdParams,
        success: { status: 200, body: Done },
        errors: [404],
      },
      async ({ caller: by, params, client: from }) => {
        const removing = tokens.remove(params.id)
        await securityLog.recordAfter(removing, (target) => ({ kind: 'token_revoked', by, from, target }))
        return { success: true as const, message: 'Token revoked' }
      },
    ),
  ]
}

function sessionRoutes(portal: Portal, securityLog: SecurityLog): Route[] {
  return [
    route(
      {
        ...read,
        path: `${prefix}/sessions`,
        summary: 'List who is signed in to protected sites',
        success: { status: 200, body: z.array(PortalSessionView) },
      },
      () => portal.listSessions(),
    ),
    route(
      {
        ...write,
        method: 'DELETE',
        path: `${prefix}/sessions/{id}`,
        summary: 'Sign a visitor out of all protected sites',
        params: IdParams,
        success: { status: 200, body: Done },
        errors: [404],
      },
      async ({ caller: by, params, client: from }) => {
        const ending = portal.endSession(params.id)
        await securityLog.recordAfter(ending, (target) => ({ kind: 'session_ended', by, from, target }))
        return { success: true as const, message: 'Session ended' }
      },
    ),
  ]
}
