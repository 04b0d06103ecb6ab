import { routeFor, type Route } from '@hearth/http'
import type { Metrics } from './metrics.ts'

const route = routeFor<{ scrape: undefined }, 'none'>()

/**
 * Returns the scraper's route. Its access is `scrape`, which the service's guard hands to `CheckScrape`. It is no part of the
 * API, whose callers and budgets are others, so it is left out of the API's description.
 */
export function metricsRoute(metrics: Pick<Metrics, 'scrape'>): Route {
  return route(
    {
      method: 'GET',
      path: '/metrics',
      tag: 'General',
      summary: 'Prometheus metrics',
      access: 'scrape',
      limit: 'none',
      success: {
        status: 200,
        media: 'text/plain',
        description: 'Prometheus text format 0.0.4, or OpenMetrics 1.0.0 when Accept prefers it',
      },
      hidden: true,
    },
    async ({ header, isHead, answer }) => {
      if (isHead) return { content: '' }
      const { text, contentType } = await metrics.scrape(header('accept'))
      answer.header('content-type', contentType)
      return { content: text }
    },
  )
}
