import { routeFor, type Route } from '@hearth/http'
import type { z } from 'zod'
import type { SecurityLog } from './security-log.ts'
import { SecurityLogFilter, SecurityLogPage, SecurityLogQuery } from './schema.ts'

/** The place of the security log in a service's API. */
export interface SecurityLogMount<Caller> {
  /** Such as `/api/security-log`. */
  readonly path: string
  readonly tag: string
  readonly access: string
  readonly limits: { readonly read: string; readonly export: string }
  /** Says who reads what. */
  readonly description?: string
  /** Returns the user whose events alone a caller reads; undefined for all events, as without this function. */
  readonly onlyUser?: (caller: Caller) => string | undefined
  /** Puts one page into the service's envelope; left out, the page is the answer. */
  readonly envelope?: {
    readonly schema: z.ZodType
    readonly wrap: (page: z.infer<typeof SecurityLogPage>, query: SecurityLogQuery) => unknown
  }
}

/** Returns the routes that list the security log and export it, for the service to mount. */
export function securityLogRoutes<Caller>(log: SecurityLog, mount: SecurityLogMount<Caller>): Route[] {
  const { path, tag, access, limits, description, onlyUser = () => undefined, envelope } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { method: 'GET', tag, access } as const
  const file = (format: 'csv' | 'jsonl', texts: { summary: string; media: string; description: string }) =>
    route(
      {
        ...shared,
        path: `${path}.${format}`,
        summary: texts.summary,
        description: 'Newest first.',
        limit: limits.export,
        query: SecurityLogFilter,
        success: { status: 200, media: texts.media, description: texts.description },
      },
      ({ caller, query, isHead }) => ({
        content: isHead ? '' : log.export(format, { ...query, userId: onlyUser(caller) }),
        fileName: `security-log.${format}`,
      }),
    )
  return [
    route(
      {
        ...shared,
        path,
        summary: 'Sign-ins and changes of access, newest first',
        ...(description !== undefined && { description }),
        limit: limits.read,
        query: SecurityLogQuery,
        success: { status: 200, body: envelope?.schema ?? SecurityLogPage },
      },
      async ({ caller, query }) => {
        const found = await log.list({ ...query, userId: onlyUser(caller) })
        return envelope === undefined ? found : envelope.wrap(found, query)
      },
    ),
    file('csv', {
      summary: 'The security log as a CSV file',
      media: 'text/csv',
      description: 'Comma-separated values with a heading',
    }),
    file('jsonl', {
      summary: 'The security log as JSON lines',
      media: 'application/x-ndjson',
      description: 'One SecurityEvent per line',
    }),
  ]
}
