import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { ClusterQuery, Statistics, TempoClusters } from './schema.ts'
import type { StatisticsReader } from './statistics.ts'

/** Figures. */
export function statisticsRoutes({ statistics }: { statistics: StatisticsReader }): Route[] {
  const shared = { tag: 'Statistics', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/stats',
        summary: 'What was downloaded',
        limit: '30',
        success: { status: 200, body: Statistics },
      },
      () => statistics.read(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/stats/reset',
        summary: 'Reset the statistics; the jobs stay',
        limit: '5',
        success: { status: 200, body: z.object({ ok: z.literal(true), message: z.string() }).meta({ id: 'Done' }) },
      },
      async () => {
        await statistics.reset()
        return { ok: true as const, message: 'The figures begin anew' }
      },
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/stats/bpm-clusters',
        summary: 'Tempi in steps of 5 BPM, the most frequent first',
        limit: '30',
        query: ClusterQuery,
        success: { status: 200, body: TempoClusters },
      },
      ({ query }) => statistics.clusters(query.limit),
    ),
  ]
}
