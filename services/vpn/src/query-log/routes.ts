import { Readable } from 'node:stream'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, pageEnvelope } from '../envelope.ts'
import { invalidField, Problem } from '../problems.ts'
import { csvOf, filterOf, type Names, queryView, type ResolverStatus, statisticsView } from './query-view.ts'
import type { QueryLog } from './query-log.ts'
import { QueryLogUnavailable } from './reading-thread.ts'
import {
  DnsStatistics,
  LoggedQueryRecord,
  PurgeBody,
  Purged,
  QueryFilterQuery,
  QueryListQuery,
  StatisticsQuery,
} from './schema.ts'

/** Dependencies of the routes. */
export interface QueryLogContext {
  readonly names: Names
  resolverStatus(): ResolverStatus
  /** Deletes the queries before a time (milliseconds), by one client or by all (null). */
  purge(before: number, client: number | null): Promise<void>
  /** Milliseconds since the epoch. */
  now(): number
}

const shared = { tag: 'DNS', limit: 'counted' } as const
const dayBucketFrom = 72

/** Routes of the query log: administrators read and purge it, everyone signed in sees statistics. */
export function queryLogRoutes(log: QueryLog, context: QueryLogContext): Route[] {
  return [...readingRoutes(log, context), statisticsRoute(log, context), purgeRoute(log, context)]
}

function readingRoutes(log: QueryLog, { names }: QueryLogContext): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/queries',
        summary: 'The query log, newest first',
        description: '`total` is exact and does not depend on the page.',
        access: 'admin',
        query: QueryListQuery,
        success: { status: 200, body: pageEnvelope(LoggedQueryRecord) },
      },
      async ({ query: { limit, offset, before, ...filter } }) => {
        const { rows, total } = await log.list(filterOf(filter), { limit, offset, before }).catch(answer)
        return { ...ok(rows.map((row) => queryView(row, names))), total, limit, offset }
      },
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/queries/export',
        summary: 'The query log as a file',
        description: 'The newest 10 000 queries that pass the filter.',
        access: 'admin',
        query: QueryFilterQuery,
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      ({ query, isHead }) => ({
        content: isHead ? '' : Readable.from(csvOf(log, filterOf(query), names)),
        fileName: 'queries.csv',
      }),
    ),
  ]
}

function statisticsRoute(log: QueryLog, context: QueryLogContext): Route {
  return route(
    {
      ...shared,
      method: 'GET',
      path: '/api/dns/stats',
      summary: 'DNS statistics',
      description: 'Names and clients are for administrators; others get empty tops.',
      access: 'signed-in',
      query: StatisticsQuery,
      success: { status: 200, body: dataEnvelope(DnsStatistics) },
    },
    async ({ caller, query: { hours, bucket = hours > dayBucketFrom ? 'day' : 'hour' } }) => {
      const found = await log
        .statistics(hours, bucket)
        .then((statistics) => ({ statistics, error: null }))
        .catch((error: unknown) => ({ statistics: log.noStatistics(hours, bucket), error: wordsOf(error) }))
      const showTops = caller.role === 'admin'
      const resolver = context.resolverStatus()
      return ok(
        statisticsView(found.statistics, { hours, resolver, names: context.names, error: found.error, showTops }),
      )
    },
  )
}

function purgeRoute(log: QueryLog, context: QueryLogContext): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/dns/queries/purge',
      summary: 'Forget logged queries',
      description:
        'They are gone from the file when this is answered. Statistics are made from the log and change with it.',
      access: 'admin',
      body: PurgeBody,
      success: { status: 200, body: messageEnvelope(Purged) },
    },
    async ({ body }) => {
      // A purge of everything includes queries made while the clock was ahead.
      const before = body.before ?? Number.MAX_SAFE_INTEGER
      const clients = body.client === undefined ? [null] : await log.clientsCalled(body.client).catch(answer)
      if (clients.length === 0) throw invalidField('client', 'names no peer that is or was there')
      for (const client of clients) await context.purge(before, client)
      const purged = { client: body.client ?? null, before: new Date(body.before ?? context.now()).toISOString() }
      return done(purged, body.client === undefined ? 'Query log purged' : `Queries of ${body.client} purged`)
    },
  )
}

function answer(error: unknown): never {
  if (!(error instanceof QueryLogUnavailable)) throw error
  throw new Problem(error.reason === 'busy' ? 'too-many-requests' : 'internal', error.message, { cause: error })
}

function wordsOf(error: unknown): string {
  if (error instanceof QueryLogUnavailable) return error.message
  throw error
}
