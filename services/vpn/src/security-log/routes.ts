import type { SecurityLog } from '@hearth/accounts/security-log'
import { SecurityEvent, SecurityLogFilter, SecurityLogQuery } from '@hearth/accounts/security-log-schema'
import type { Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import { page, pageEnvelope } from '../envelope.ts'

/** The security log: administrators read all of it, others what is about themselves. */
export function securityLogRoutes(log: SecurityLog): Route[] {
  const shared = { method: 'GET', tag: 'Security log', access: 'signed-in', limit: 'counted' } as const
  const file = { ...shared, query: SecurityLogFilter, description: 'Newest first.' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/security-log',
        summary: 'Sign-ins and changes of access, newest first',
        description: 'Administrators read everything, others what they did themselves.',
        query: SecurityLogQuery,
        success: { status: 200, body: pageEnvelope(SecurityEvent) },
      },
      async ({ caller, query }) => {
        const { events: rows, total } = await log.list({ ...query, ...visibleTo(caller) })
        return page({ rows, total }, query)
      },
    ),
    route(
      {
        ...file,
        path: '/api/security-log.csv',
        summary: 'The security log as a CSV file',
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      ({ caller, query, isHead }) => ({
        content: isHead ? '' : log.export('csv', { ...query, ...visibleTo(caller) }),
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
      ({ caller, query, isHead }) => ({
        content: isHead ? '' : log.export('jsonl', { ...query, ...visibleTo(caller) }),
        fileName: 'security-log.jsonl',
      }),
    ),
  ]
}

const visibleTo = ({ role, userId }: Caller) => (role === 'admin' ? {} : { userId })
