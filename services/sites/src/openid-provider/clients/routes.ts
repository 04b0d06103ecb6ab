import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../../access.ts'
import { Done } from '../../accounts/schema.ts'
import type { OpenIdProvider } from '../openid-provider.ts'
import {
  ClientParams,
  OpenIdClientValues,
  OpenIdClientList,
  OpenIdClientSecret,
  OpenIdClientView,
  OpenIdKeyView,
} from '../schema.ts'
import { presets } from './presets.ts'

const tag = 'Applications'
const all = '/api/v1/openid/clients'
const one = `${all}/{id}` as const
const read = { tag, method: 'GET', access: 'admin-session', limit: '60/min' } as const
const write = { tag, access: 'recent-admin', limit: '30/min' } as const

/** Applications that sign people in through the portal, and the keys that sign their tokens. */
export function openIdClientRoutes(provider: OpenIdProvider, securityLog: SecurityLog): Route[] {
  return [
    ...readRoutes(provider),
    ...changeRoutes(provider, securityLog),
    ...secretRoutes(provider, securityLog),
    ...keyRoutes(provider, securityLog),
  ]
}

function readRoutes({ clients, issuer }: OpenIdProvider): Route[] {
  return [
    route(
      {
        ...read,
        path: all,
        summary: 'List applications, and the kinds whose settings are known',
        success: { status: 200, body: OpenIdClientList },
      },
      async () => ({ issuer: issuer() ?? null, clients: await clients.list(), presets: [...presets] }),
    ),
    route(
      {
        ...read,
        path: one,
        summary: 'One application',
        params: ClientParams,
        success: { status: 200, body: OpenIdClientView },
        errors: [404],
      },
      ({ params }) => clients.get(params.id),
    ),
  ]
}

function changeRoutes({ clients }: OpenIdProvider, securityLog: SecurityLog): Route[] {
  return [
    route(
      {
        ...write,
        method: 'PUT',
        path: one,
        summary: 'Change an application',
        params: ClientParams,
        body: OpenIdClientValues,
        success: { status: 200, body: OpenIdClientView },
        errors: [404, 409],
      },
      ({ caller: by, params, body, client: from }) => {
        const event = { kind: 'rights_changed', by, from, target: body.name, detail: 'application changed' } as const
        return securityLog.recordAfter(clients.update(params.id, body), event)
      },
    ),
    route(
      {
        ...write,
        access: 'admin-session',
        method: 'DELETE',
        path: one,
        summary: 'Delete an application',
        description: 'Its tokens end at once.',
        params: ClientParams,
        success: { status: 200, body: Done },
        errors: [404],
      },
      async ({ caller: by, params, client: from }) => {
        const detail = 'application deleted'
        const removing = clients.remove(params.id)
        await securityLog.recordAfter(removing, (target) => ({ kind: 'rights_changed', by, from, target, detail }))
        return { success: true as const, message: 'Application deleted' }
      },
    ),
  ]
}

function secretRoutes({ clients }: OpenIdProvider, securityLog: SecurityLog): Route[] {
  return [
    route(
      {
        ...write,
        method: 'POST',
        path: all,
        summary: 'Add an application',
        body: OpenIdClientValues,
        success: { status: 201, body: OpenIdClientSecret },
        errors: [409],
      },
      ({ caller: by, body, client: from }) => {
        const event = { kind: 'token_created', by, from, target: body.name, detail: 'application added' } as const
        return securityLog.recordAfter(clients.create(body), event)
      },
    ),
    route(
      {
        ...write,
        method: 'POST',
        path: `${one}/secret`,
        summary: 'Make a new secret for an application',
        description: 'The one before ends at once. A public application gets its first one.',
        params: ClientParams,
        success: { status: 200, body: OpenIdClientSecret },
        errors: [404],
      },
      ({ caller: by, params, client: from }) =>
        securityLog.recordAfter(clients.renewSecret(params.id), ({ client }) => ({
          kind: 'token_created',
          by,
          from,
          target: client.name,
          detail: 'new secret of the application',
        })),
    ),
  ]
}

function keyRoutes({ keys }: OpenIdProvider, securityLog: SecurityLog): Route[] {
  return [
    route(
      {
        ...read,
        path: '/api/v1/openid/keys',
        summary: 'List the keys that sign ID tokens',
        success: { status: 200, body: z.array(OpenIdKeyView) },
      },
      () => keys.list(),
    ),
    route(
      {
        ...write,
        limit: '10/min',
        method: 'POST',
        path: '/api/v1/openid/keys/rotate',
        summary: 'Let the next key sign from now on',
        description: 'Otherwise keys rotate every 90 days. The one before is published for another day.',
        success: { status: 200, body: z.array(OpenIdKeyView) },
      },
      ({ caller: by, client: from }) => {
        const event = {
          kind: 'rights_changed',
          by,
          from,
          target: 'OpenID Connect',
          detail: 'signing key rotated',
        } as const
        return securityLog.recordAfter(keys.rotate(), event)
      },
    ),
  ]
}
