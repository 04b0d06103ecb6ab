import type { Route, ServerOptions } from '@hearth/http'
import type { Family } from './collector.ts'
import { DurationHistogram } from './duration-histogram.ts'
import { LabelledCounts } from './labelled-counts.ts'

const requestsTotal = 'hearth_http_requests_total'

/**
 * Counts answered requests by route, as it is written in the table of routes: `/api/peers/{id}`. Pages, files and unknown
 * addresses are one class, so that no client can add series.
 */
export function createHttpRequests() {
  const counts = new LabelledCounts()
  const durations = new DurationHistogram({
    name: 'hearth_http_request_duration_seconds',
    help: 'Time from receiving a request to the end of its answer; event streams are left out',
    bounds: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
  })

  const onAnswered: NonNullable<ServerOptions['onAnswered']> = (spec, status, milliseconds) => {
    const method = spec?.method ?? 'any'
    const route = spec?.path ?? 'other'
    const code = `${Math.floor(status / 100)}xx`
    counts.add(`${code} ${method} ${route}`, () => ({ method, route, code }))
    if (spec === undefined || !isStream(spec)) durations.observe(route, milliseconds / 1000, () => ({ route }))
  }

  return {
    onAnswered,
    names: [requestsTotal, durations.name],
    families: (): Family[] => [
      {
        name: requestsTotal,
        help: 'Answered requests by route and class of status; the route "other" is pages, files and unknown addresses',
        type: 'counter',
        aggregator: 'first',
        values: counts.samples().map(([labels, value = 0]) => ({ labels, value })),
      },
      ...durations.families(),
    ],
  }
}

const isStream = ({ success }: Route['spec']): boolean => 'media' in success && success.media === 'text/event-stream'
