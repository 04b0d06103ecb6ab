import { routeFor, type Route } from '@hearth/http'
import type { Metrics } from './metrics.ts'

const route = routeFor<{ scrape: undefined }, 'none'>()

/** Returns the scraper's route. Its access is `scrape`, which the service's guard hands to `CheckScrape`. */
export function metricsRoute(metrics: Pick<Metrics, 'scrape'>, about: { readonly isHidden?: true } = {}): Route {
  return route(
    {
      method: 'GET',
      path: '/metrics',
      tag: 'General',
      summary: 'Prometheus metrics',
      description: 'Prometheus text format 0.0.4, or OpenMetrics 1.0.0 when Accept prefers it.',
      access: 'scrape',
      limit: 'none',
      success: { status: 200, media: 'text/plain', description: 'The metrics' },
      errors: [429],
      ...(about.isHidden === true ? { hidden: true } : {}),
    },
    async ({ header, isHead, answer }) => {
      if (isHead) return { content: '' }
      const { text, contentType } = await metrics.scrape(header('accept'))
      answer.header('content-type', contentType)
      return { content: text }
    },
  )
}
