import { documentRoutes, type Route } from '@hearth/http'
import { z } from 'zod'
import { route, type Access, type Caller } from './access.ts'
import { accountRoutes, createPageCookies, type AccountParts } from './accounts/routes.ts'
import { deliveryRoutes, type DeliveryParts } from './delivery/routes.ts'
import { eventRoutes } from './events/routes.ts'
import type { EventStreams } from './events/streams.ts'
import { infoRoutes } from './info/routes.ts'
import type { MediaLookup } from './info/info.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { RemoveAll } from './jobs/remove-all.ts'
import { jobRoutes } from './jobs/routes.ts'
import type { MediaUrl } from './platforms/media-url.ts'
import { unavailable } from './problems.ts'
import type { ChangeSettings } from './settings/change-settings.ts'
import { settingsRoutes } from './settings/routes.ts'
import type { SettingsKeeper } from './settings/settings.ts'
import type { CookieShelf } from './cookies/shelf.ts'
import { cookieRoutes } from './cookies/routes.ts'
import type { HostInfo } from './host/schema.ts'
import type { Logos } from './settings/logo.ts'
import { logoRoutes } from './settings/logo-routes.ts'
import { shareRoutes } from './shares/routes.ts'
import type { Shares } from './shares/shares.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import type { StatisticsKeeper } from './statistics/statistics.ts'
import { stemRoutes } from './stems/routes.ts'
import type { Stems } from './stems/stems.ts'
import { thumbnailRoutes } from './thumbnails/routes.ts'
import type { Thumbnails } from './thumbnails/thumbnails.ts'
import { trimRoutes } from './trims/routes.ts'
import type { Trims } from './trims/trims.ts'
import { systemRoutes } from './updates/routes.ts'
import type { UpdateKeeper } from './updates/updates.ts'
import { waveformRoutes } from './waveform/routes.ts'
import type { Waveform } from './waveform/schema.ts'

/** Everything the endpoints call. */
export interface Features {
  readonly account: AccountParts
  readonly jobs: Jobs
  readonly removeAll: RemoveAll
  readonly readUrl: (text: string) => Promise<MediaUrl>
  readonly lookup: MediaLookup
  readonly delivery: DeliveryParts
  readonly streams: EventStreams
  readonly stillAllowed: (caller: Caller) => Promise<boolean>
  readonly settings: SettingsKeeper
  readonly changeSettings: ChangeSettings
  readonly trims: Trims
  readonly waveformOf: (jobId: string) => Promise<Waveform>
  readonly stems: Stems
  readonly shares: Shares
  readonly linkBase: (client: { origin: string }) => string
  readonly cookies: CookieShelf
  readonly thumbnails: Thumbnails
  readonly logos: Logos
  readonly statistics: StatisticsKeeper
  readonly updates: UpdateKeeper
  readonly host: () => Promise<HostInfo>
  /** Whether what the service keeps can be written. */
  readonly isWritable: () => Promise<boolean>
  readonly document: () => Record<string, unknown>
}

const published = {
  title: 'Hearth Media',
  tag: 'General',
  access: 'page' satisfies Access,
  limit: 'none',
  listsPages: true,
} as const

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const { account, jobs, settings } = features
  const cookies = createPageCookies(account)
  const { artifacts } = features.delivery
  return [
    healthRoute(features.isWritable),
    ...accountRoutes(account, cookies),
    ...jobRoutes(jobs, features.removeAll),
    ...infoRoutes(features),
    ...deliveryRoutes(features.delivery),
    ...eventRoutes({ streams: features.streams, jobs, stillAllowed: features.stillAllowed }),
    ...settingsRoutes(settings, features.changeSettings, cookies),
    ...waveformRoutes(features.waveformOf),
    ...trimRoutes(features.trims, artifacts),
    ...stemRoutes(features.stems, artifacts),
    ...shareRoutes(features.shares, features.linkBase),
    ...cookieRoutes(features.cookies),
    ...thumbnailRoutes(features.thumbnails),
    ...logoRoutes(features.logos),
    ...statisticsRoutes(features.statistics),
    ...systemRoutes(features.updates, features.host),
    ...documentRoutes({ ...published, document: features.document }),
  ]
}

function healthRoute(isWritable: () => Promise<boolean>): Route {
  return route(
    {
      method: 'GET',
      path: '/health',
      tag: 'General',
      summary: 'Whether the service works',
      access: 'public',
      limit: 'none',
      success: { status: 200, body: z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' }) },
      errors: [503],
    },
    async () => {
      if (!(await isWritable())) throw unavailable('What the service keeps cannot be written')
      return { status: 'ok' as const }
    },
  )
}
