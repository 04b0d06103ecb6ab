import { readFileSync } from 'node:fs'
import type { ApiDescription } from '@hearth/http'
import { sessionCookie } from './access.ts'
import { ProblemDocument } from './problems.ts'

/** The version of the service, from its package. */
export const version = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/** Description of the service and its sign-in methods for the API document. */
export const about: ApiDescription = {
  title: 'Hearth Inverter',
  version,
  description:
    'Gateway to RCT Power inverters: values, approved writes, battery dispatch, Energy Manager, readiness, scraper metrics. Values come in the unit of their metric. Errors are problem documents (RFC 9457) with a `code`.',
  errorBody: ProblemDocument,
  errorMedia: 'application/problem+json',
  invalidParameter: 422,
  invalidSyntax: 422,
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'An access token, created on the Tokens page' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie,
      description: 'The administrator’s browser. Writes need the header X-CSRF-Token.',
    },
    csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: 'Given by GET /admin/api/session' },
  },
  security: (access) => {
    if (access === 'public' || access === 'docs') return []
    return access === 'admin' || access === 'any-session' ? [{ session: [] }] : [{ token: [] }, { session: [] }]
  },
  tags: [
    { name: 'General', description: 'The service itself' },
    { name: 'Metrics', description: 'Values of the inverters' },
    { name: 'Devices', description: 'Configured inverters' },
    { name: 'Dispatch', description: 'Control of the battery' },
    { name: 'Energy', description: 'The Energy Manager' },
    { name: 'Energy history', description: 'What was produced and used' },
    { name: 'Plan', description: 'The cheapest use of the battery, and why' },
    { name: 'Plant', description: 'Several inverters of one house together' },
    { name: 'Parameters', description: 'Snapshots of what is set on the inverters' },
    { name: 'Health', description: 'Faults, battery status, events' },
    { name: 'Diagnostics', description: 'Connections and frames' },
    { name: 'Administration', description: 'API of the web pages; not part of the public contract' },
  ],
}
