import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { Journal } from './journal.ts'
import { JournalPage, JournalQuery } from './schema.ts'

/** The journal of writes: value, caller and outcome. */
export function journalRoutes(journal: Journal, checkDevice: (id: string) => void): Route[] {
  const shared = {
    method: 'GET',
    tag: 'Dispatch',
    access: 'read-write',
    limit: 'counted',
    params: z.object({ device_id: z.string().max(64) }),
    errors: [404],
  } as const
  return [
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/journal',
        summary: 'Writes, newest first',
        query: JournalQuery,
        success: { status: 200, body: JournalPage },
      },
      ({ params, query }) => {
        checkDevice(params.device_id)
        return journal.page(params.device_id, query)
      },
    ),
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/journal.csv',
        summary: 'Writes as a CSV file',
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      ({ params }) => {
        checkDevice(params.device_id)
        return { content: journal.download(params.device_id), fileName: `journal-${params.device_id}.csv` }
      },
    ),
  ]
}
