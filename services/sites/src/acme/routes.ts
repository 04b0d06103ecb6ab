import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { ExternalAccounts } from './external-accounts/external-accounts.ts'
import { externalAccountRoutes } from './external-accounts/routes.ts'
import type { Orders } from './orders/orders.ts'
import { providerKinds } from './providers/kinds.ts'
import type { Providers } from './providers/providers.ts'
import { found, removed } from './route-answers.ts'
import {
  DnsProviderChange,
  DnsProviderCreate,
  DnsProviderList,
  DnsProviderRemoval,
  DnsProviderView,
  IdParams,
  OrderChange,
  OrderCreate,
  OrderList,
  OrderView,
  Removed,
  RevocationRequest,
} from './schema.ts'

const shared = { tag: 'Certificates', access: 'admin' } as const

/** What the endpoints of ordered certificates call. */
export interface AcmeFeature {
  readonly orders: Orders
  readonly providers: Providers
  readonly externalAccounts: ExternalAccounts
}

/** DNS providers and certificates that are ordered through them. */
export function acmeRoutes({ orders, providers, externalAccounts }: AcmeFeature, securityLog: SecurityLog): Route[] {
  const providerRoutes = [...readProviderRoutes(providers), ...changeProviderRoutes(providers)]
  const certificateRoutes = [...orderRoutes(orders), revokeRoute(orders, securityLog)]
  return [...providerRoutes, ...externalAccountRoutes(externalAccounts), ...certificateRoutes]
}

const kinds = providerKinds.map(({ kind, label, fields }) => ({
  kind,
  label,
  fields: fields.map((field) => ({
    name: field.name,
    label: field.label,
    hint: field.hint ?? null,
    placeholder: field.placeholder ?? null,
    secret: field.isSecret === true,
    optional: field.isOptional === true,
    choices: field.choices === undefined ? null : [...field.choices],
  })),
}))

function readProviderRoutes(providers: Providers): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns-providers',
        summary: 'DNS providers, and the kinds there are',
        limit: '60/min',
        success: { status: 200, body: DnsProviderList },
      },
      async () => ({ providers: await providers.list(), kinds }),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns-providers/{id}',
        summary: 'One DNS provider',
        limit: '60/min',
        params: IdParams,
        success: { status: 200, body: DnsProviderView },
        errors: [404],
      },
      async ({ params }) => found(await providers.find(params.id), 'DNS provider'),
    ),
  ]
}

function changeProviderRoutes(providers: Providers): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns-providers',
        summary: 'Set up a DNS provider',
        description: 'Secrets are kept sealed and never shown again.',
        limit: '20/min',
        body: DnsProviderCreate,
        success: { status: 201, body: DnsProviderView },
        errors: [409],
      },
      ({ body }) => providers.add(body),
    ),
    route(
      {
        ...shared,
        method: 'PATCH',
        path: '/api/dns-providers/{id}',
        summary: 'Change a DNS provider',
        limit: '20/min',
        params: IdParams,
        body: DnsProviderChange,
        success: { status: 200, body: DnsProviderView },
        errors: [404],
      },
      async ({ params, body }) => found(await providers.change(params.id, body), 'DNS provider'),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/dns-providers/{id}',
        summary: 'Delete a DNS provider',
        description:
          'Refused while certificates are ordered through it, and while TXT records are to be removed there.',
        limit: '20/min',
        params: IdParams,
        query: DnsProviderRemoval,
        success: { status: 200, body: Removed },
        errors: [404, 409],
      },
      async ({ params, query }) =>
        removed(await providers.remove(params.id, query.leave_records === 'true'), 'DNS provider'),
    ),
  ]
}

const one = { ...shared, path: '/api/certificate-orders/{id}', params: IdParams } as const

function orderRoutes(orders: Orders): Route[] {
  return [...readOrderRoutes(orders), ...changeOrderRoutes(orders)]
}

function readOrderRoutes(orders: Orders): Route[] {
  const read = { method: 'GET', limit: '60/min' } as const
  return [
    route(
      {
        ...shared,
        ...read,
        path: '/api/certificate-orders',
        summary: 'Ordered certificates',
        success: { status: 200, body: OrderList },
      },
      async () => ({ orders: await orders.list() }),
    ),
    route(
      { ...one, ...read, summary: 'One ordered certificate', success: { status: 200, body: OrderView }, errors: [404] },
      async ({ params }) => found(await orders.find(params.id), 'order'),
    ),
  ]
}

function changeOrderRoutes(orders: Orders): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/certificate-orders',
        summary: 'Order a certificate, proved by DNS',
        description: 'Accepts the terms of the authority. The certificate is renewed until the order is deleted.',
        limit: '10/min',
        body: OrderCreate,
        success: { status: 201, body: OrderView },
        errors: [409],
      },
      ({ body }) => orders.add(body),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/certificate-orders/{id}/run',
        summary: 'Try the failed step now, or renew now',
        limit: '5/min',
        params: IdParams,
        success: { status: 200, body: OrderView },
        errors: [404, 409],
      },
      async ({ params }) => found(await orders.run(params.id), 'order'),
    ),
    route(
      {
        ...one,
        method: 'PATCH',
        summary: 'Change what is ordered',
        description: 'The certificate in use stays until the new one is issued.',
        limit: '10/min',
        body: OrderChange,
        success: { status: 200, body: OrderView },
        errors: [404, 409],
      },
      async ({ params, body }) => found(await orders.change(params.id, body), 'order'),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete an order with its certificate',
        limit: '10/min',
        success: { status: 200, body: Removed },
        errors: [404, 409],
      },
      async ({ params }) => removed(await orders.remove(params.id), 'order'),
    ),
  ]
}

function revokeRoute(orders: Orders, securityLog: SecurityLog): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/certificate-orders/{id}/revoke',
      summary: 'Revoke the certificate of an order',
      description: 'A revocation cannot be taken back.',
      limit: '5/min',
      params: IdParams,
      body: RevocationRequest,
      success: { status: 200, body: OrderView },
      errors: [404, 409, 429, 503],
    },
    async ({ params, body, caller: by, client: from }) => {
      const order = found(await orders.revoke(params.id, body), 'order')
      const serial = order.revocation?.serial_number ?? ''
      const detail = `${body.reason}, serial number ${serial}${order.state === 'working' ? ', after a new one is issued' : ''}`
      await securityLog.record({ kind: 'certificate_revoked', target: order.name, detail, by, from })
      return order
    },
  )
}
