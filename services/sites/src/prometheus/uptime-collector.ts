import { defineCollector, samplesOf, type Collector } from '@hearth/metrics'

/** A checked site, for monitoring. */
export interface SiteFigures {
  readonly site: string
  readonly state: 'up' | 'down' | 'unknown' | 'maintenance'
  readonly latencyMs: number | undefined
}

/** The figures of the checks of sites. A site without a result has no sample, so that nothing unknown looks like a state. */
export function uptimeCollector(read: () => readonly SiteFigures[]): Collector {
  return defineCollector({
    name: 'uptime',
    figures: {
      hearth_sites_up: { type: 'gauge', help: '1 for a site that is up by its checks, 0 for one that is down' },
      hearth_sites_maintenance: { type: 'gauge', help: '1 for a site in maintenance, which is not checked' },
      hearth_sites_check_duration_seconds: {
        type: 'gauge',
        help: 'Time until the answer to the last good check of a site',
      },
    },
    read() {
      const samples = samplesOf(read(), ({ site }) => ({ site }))
      return {
        hearth_sites_up: samples(({ state }) => (state === 'up' ? 1 : state === 'down' ? 0 : undefined)),
        hearth_sites_maintenance: samples(({ state }) => Number(state === 'maintenance')),
        hearth_sites_check_duration_seconds: samples(({ latencyMs }) => latencyMs && latencyMs / 1000),
      }
    },
  })
}
