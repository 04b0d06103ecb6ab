import type { SecurityLog } from '@hearth/accounts/security-log'
import { SecurityLogFilter, SecurityLogPage, SecurityLogQuery } from '@hearth/accounts/security-log-schema'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'

/** Routes that read the security log. */
export function securityLogRoutes({ securityLog }: { securityLog: SecurityLog }): Route[] {
  const shared = { method: 'GET', tag: 'Sign-in', access: 'member', limit: '60' } as const
  const file = { ...shared, query: SecurityLogFilter, description: 'Newest first.' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/security-log',
        summary: 'Sign-ins and changes of access, newest first',
        query: SecurityLogQuery,
        success: { status: 200, body: SecurityLogPage },
      },
      ({ query }) => securityLog.list(query),
    ),
    route(
      {
        ...file,
        path: '/api/security-log.csv',
        summary: 'The security log as a CSV file',
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      ({ query, isHead }) => ({
        content: isHead ? '' : securityLog.export('csv', query),
        fileName: 'security-log.csv',
      }),
    ),
    route(
      {
        ...file,
        path: '/api/security-log.jsonl',
        summary: 'The security log as JSON lines',
        success: { status: 200, media: 'application/x-ndjson', description: 'One SecurityEvent per line' },
      },
      ({ query, isHead }) => ({
        content: isHead ? '' : securityLog.export('jsonl', query),
        fileName: 'security-log.jsonl',
      }),
    ),
  ]
}
