import type { SecurityLog } from '@hearth/accounts/security-log'
import { SecurityLogFilter, SecurityLogPage, SecurityLogQuery } from '@hearth/accounts/security-log-schema'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'

/** The security log, for the administrator. */
export function securityLogRoutes(log: SecurityLog): Route[] {
  const shared = { method: 'GET', tag: 'Administration', access: 'admin', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        path: '/admin/api/security-log',
        summary: 'Sign-ins and changes of access, newest first',
        query: SecurityLogQuery,
        success: { status: 200, body: SecurityLogPage },
      },
      ({ query }) => log.list(query),
    ),
    route(
      {
        ...shared,
        path: '/admin/api/security-log.csv',
        summary: 'The security log as a CSV file',
        query: SecurityLogFilter,
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      ({ query, isHead }) => ({ content: isHead ? '' : log.export('csv', query), fileName: 'security-log.csv' }),
    ),
    route(
      {
        ...shared,
        path: '/admin/api/security-log.jsonl',
        summary: 'The security log as JSON lines',
        query: SecurityLogFilter,
        success: { status: 200, media: 'application/x-ndjson', description: 'One SecurityEvent per line' },
      },
      ({ query, isHead }) => ({ content: isHead ? '' : log.export('jsonl', query), fileName: 'security-log.jsonl' }),
    ),
  ]
}
