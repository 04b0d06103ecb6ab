import type { MeasuredDatabase } from '@hearth/database'
import { defineCollector, type Collector } from './collector.ts'

/** The figures of a service's database. */
export function databaseCollector({ usage }: Pick<MeasuredDatabase<never>, 'usage'>): Collector {
  return defineCollector({
    name: 'database',
    figures: {
      hearth_database_size_bytes: { type: 'gauge', help: 'Size of the database: its files, or what PostgreSQL says' },
      hearth_database_queries_total: { type: 'counter', help: 'Queries, whether or not they succeeded' },
      hearth_database_query_failures_total: { type: 'counter', help: 'Queries that failed' },
      hearth_database_query_seconds_total: { type: 'counter', help: 'Time spent in queries' },
    },
    async read() {
      const { sizeBytes, queries, failures, seconds } = await usage()
      return {
        hearth_database_size_bytes: sizeBytes,
        hearth_database_queries_total: queries,
        hearth_database_query_failures_total: failures,
        hearth_database_query_seconds_total: seconds,
      }
    },
  })
}
