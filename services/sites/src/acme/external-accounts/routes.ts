import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { found, removed } from '../route-answers.ts'
import { IdParams, Removed } from '../schema.ts'
import type { ExternalAccounts } from './external-accounts.ts'
import { ExternalAccountChange, ExternalAccountCreate, ExternalAccountList, ExternalAccountView } from './schema.ts'

const all = { tag: 'Certificates', access: 'admin', path: '/api/external-accounts' } as const
const one = { ...all, path: '/api/external-accounts/{id}', params: IdParams } as const

/** External accounts, to which authorities bind the account of this service. */
export function externalAccountRoutes(accounts: ExternalAccounts): Route[] {
  return [
    route(
      {
        ...all,
        method: 'GET',
        summary: 'External accounts at authorities',
        limit: '60/min',
        success: { status: 200, body: ExternalAccountList },
      },
      () => ({ external_accounts: accounts.list() }),
    ),
    route(
      {
        ...all,
        method: 'POST',
        summary: 'Set up an external account',
        description:
          'For authorities that ask for an external account binding (RFC 8555 section 7.3.4). Ordered certificates and those that Caddy gets itself use it.',
        limit: '10/min',
        body: ExternalAccountCreate,
        success: { status: 201, body: ExternalAccountView },
        errors: [409],
      },
      ({ body }) => accounts.add(body),
    ),
    route(
      {
        ...one,
        method: 'PUT',
        summary: 'Change the key of an external account',
        limit: '10/min',
        body: ExternalAccountChange,
        success: { status: 200, body: ExternalAccountView },
        errors: [404],
      },
      async ({ params, body }) => found(await accounts.change(params.id, body), 'external account'),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete an external account',
        description: 'Accounts that were bound to it stay at the authority.',
        limit: '10/min',
        success: { status: 200, body: Removed },
        errors: [404],
      },
      async ({ params }) => removed(await accounts.remove(params.id), 'external account'),
    ),
  ]
}
