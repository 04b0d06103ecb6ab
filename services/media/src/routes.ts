import { documentRoutes, type Route } from '@hearth/http'
import { z } from 'zod'
import { route, type Access, type Caller } from './access.ts'
import { accountRoutes, createPageCookies, type AccountDependencies } from './accounts/routes.ts'
import { deliveryRoutes, type DeliveryDependencies } from './delivery/routes.ts'
import { eventRoutes } from './events/routes.ts'
import type { EventStreams } from './events/streams.ts'
import { infoRoutes } from './info/routes.ts'
import type { MediaLookup } from './info/info.ts'
import type { Jobs } from './jobs/jobs.ts'
import type { RemoveAll } from './jobs/remove-all.ts'
import { jobRoutes } from './jobs/routes.ts'
import type { MediaUrl } from './platforms/media-url.ts'
import { unavailable } from './problems.ts'
import type { ChangeSettings, SettingsStore } from './settings/settings.ts'
import { logoRoutes, settingsRoutes } from './settings/routes.ts'
import type { CookieJars } from './cookies/jars.ts'
import { cookieRoutes } from './cookies/routes.ts'
import type { HostInfo } from './host/schema.ts'
import type { Logos } from './settings/logo.ts'
import { shareRoutes } from './shares/routes.ts'
import type { Shares } from './shares/shares.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import type { StatisticsReader } from './statistics/statistics.ts'
import { stemAccountRoutes, stemRoutes } from './stems/routes.ts'
import type { StemAccountStore } from './stems/stem-account.ts'
import type { Stems } from './stems/stems.ts'
import { thumbnailRoutes } from './thumbnails/routes.ts'
import type { Thumbnails } from './thumbnails/thumbnails.ts'
import { trimRoutes } from './trims/routes.ts'
import type { Trims } from './trims/trims.ts'
import { systemRoutes } from './updates/routes.ts'
import type { Updater } from './updates/updates.ts'
import { waveformRoutes } from './waveform/routes.ts'
import type { Waveform } from './waveform/schema.ts'

/** Everything the endpoints call. */
export interface Features {
  readonly account: AccountDependencies
  readonly jobs: Jobs
  readonly removeAll: RemoveAll
  readonly readUrl: (text: string) => Promise<MediaUrl>
  readonly lookup: MediaLookup
  readonly delivery: DeliveryDependencies
  readonly streams: EventStreams
  readonly stillAllowed: (caller: Caller) => Promise<boolean>
  readonly settings: SettingsStore
  readonly changeSettings: ChangeSettings
  readonly trims: Trims
  readonly waveformOf: (jobId: string) => Promise<Waveform>
  readonly stemAccount: StemAccountStore
  readonly stems: Stems
  readonly shares: Shares
  readonly linkBase: (client: { origin: string }) => string
  readonly jars: CookieJars
  readonly thumbnails: Thumbnails
  readonly logos: Logos
  readonly statistics: StatisticsReader
  readonly updates: Updater
  readonly host: () => Promise<HostInfo>
  /** Resolves to true if the data directory is writable. */
  readonly isWritable: () => Promise<boolean>
  readonly document: () => Promise<Record<string, unknown>>
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
    ...settingsRoutes(settings, features.changeSettings, (call) => cookies.endSession(call)),
    ...waveformRoutes(features.waveformOf),
    ...trimRoutes(features.trims, artifacts),
    ...stemAccountRoutes(features.stemAccount),
    ...stemRoutes(features.stems, artifacts),
    ...shareRoutes(features.shares, features.linkBase),
    ...cookieRoutes(features.jars),
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
      summary: 'Liveness of the service',
      access: 'public',
      limit: 'none',
      success: { status: 200, body: z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' }) },
      errors: [503],
    },
    async () => {
      if (!(await isWritable())) throw unavailable('The data directory cannot be written')
      return { status: 'ok' as const }
    },
  )
}
