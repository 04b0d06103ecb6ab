import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { securityLogRoutes } from '@hearth/accounts/security-log-routes'
import { documentRoutes, type Route } from '@hearth/http'
import { metricsRoute, type Metrics } from '@hearth/metrics'
import { notificationRoutes, type Notifications } from '@hearth/notifications'
import { backupRoutes, neighbourRoute, serviceHeader, type BackupControl, type ListNeighbours } from '@hearth/service'
import { z } from 'zod'
import { route, type Access, type Limit } from './access.ts'
import { openIdSignInRoutes, type OpenIdSignInDependencies } from './accounts/openid.ts'
import type { MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import { portalConnectionRoutes } from './sign-in-methods/openid-connection.ts'
import { ownMethodRoutes } from './sign-in-methods/routes.ts'
import { accountRoutes, createPageCookies, type AccountDependencies } from './accounts/routes.ts'
import { beatRoutes } from './beats/routes.ts'
import { cookieRoutes } from './cookies/routes.ts'
import { deliveryRoutes } from './delivery/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { exportRoutes } from './exports/routes.ts'
import { failureRoutes } from './failures/routes.ts'
import { feedRoutes } from './feeds/routes.ts'
import { followRoutes } from './follows/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { infoRoutes } from './info/routes.ts'
import { intakeRoutes } from './intake/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import { libraryRoutes } from './library/routes.ts'
import { listRoutes } from './lists/routes.ts'
import { conflict, unavailable } from './problems.ts'
import type { AnalysisRequests } from './reanalysis/requests.ts'
import { reanalysisRoutes } from './reanalysis/routes.ts'
import { logoRoutes, settingsRoutes } from './settings/routes.ts'
import { shareRoutes } from './shares/routes.ts'
import { visitorRoutes } from './shares/visitor-routes.ts'
import { spaceRoutes } from './space/routes.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { stemAccountRoutes, stemRoutes } from './stems/routes.ts'
import { thumbnailRoutes } from './thumbnails/routes.ts'
import { ownTokenRoutes } from './tokens/routes.ts'
import type { Tokens } from './tokens/tokens.ts'
import { trimRoutes } from './trims/routes.ts'
import { systemRoutes } from './updates/routes.ts'
import { waveformRoutes } from './waveform/routes.ts'
import { workbenchRoutes } from './workbench/routes.ts'

type FeaturesOf<Routes extends (features: never) => unknown> = Parameters<Routes>[0]

/** Everything the endpoints call: what the routes of each feature need, and what none of them has. */
export type Features = FeaturesOf<typeof jobRoutes> &
  FeaturesOf<typeof libraryRoutes> &
  FeaturesOf<typeof collectionRoutes> &
  FeaturesOf<typeof infoRoutes> &
  FeaturesOf<typeof failureRoutes> &
  FeaturesOf<typeof followRoutes> &
  FeaturesOf<typeof intakeRoutes> &
  FeaturesOf<typeof listRoutes> &
  FeaturesOf<typeof healthRoutes> &
  FeaturesOf<typeof deliveryRoutes> &
  FeaturesOf<typeof eventRoutes> &
  Parameters<typeof settingsRoutes>[0] &
  FeaturesOf<typeof waveformRoutes> &
  FeaturesOf<typeof workbenchRoutes> &
  FeaturesOf<typeof exportRoutes> &
  FeaturesOf<typeof beatRoutes> &
  FeaturesOf<typeof trimRoutes> &
  FeaturesOf<typeof stemAccountRoutes> &
  FeaturesOf<typeof stemRoutes> &
  FeaturesOf<typeof shareRoutes> &
  Omit<FeaturesOf<typeof visitorRoutes>, 'isPublishedSecurely'> &
  FeaturesOf<typeof feedRoutes> &
  FeaturesOf<typeof cookieRoutes> &
  FeaturesOf<typeof thumbnailRoutes> &
  FeaturesOf<typeof logoRoutes> &
  FeaturesOf<typeof statisticsRoutes> &
  FeaturesOf<typeof spaceRoutes> &
  FeaturesOf<typeof systemRoutes> & {
    readonly analysisRequests: AnalysisRequests
    readonly account: AccountDependencies & OpenIdSignInDependencies
    readonly openIdConnection: OpenIdConnection
    readonly signInMethods: SignInMethods<MethodUser>
    /** Undefined while API tokens are switched off: then there are no routes of them either. */
    readonly tokens: Tokens | undefined
    /** Resolves to true if the data directory is writable. */
    readonly isWritable: () => Promise<boolean>
    readonly metrics: Metrics
    readonly neighbours: ListNeighbours
    readonly notifications: Notifications
    readonly backups: BackupControl
    readonly document: () => Promise<Record<string, unknown>>
  }

const published = {
  title: 'Hearth Media',
  tag: 'General',
  access: 'page' satisfies Access,
  limit: 'none',
  listsPages: true,
} as const

/** The routes of the scheduled backups. */
const backupForm = {
  path: '/api/backups',
  tag: 'Settings',
  access: 'member' satisfies Access,
  limits: { read: '60' satisfies Limit, run: '5' satisfies Limit },
  refuse: conflict,
}

/** The routes of the security log. */
const securityLogMount = {
  path: '/api/security-log',
  tag: 'Sign-in',
  access: 'account' satisfies Access,
  limits: { read: '60' satisfies Limit, export: '60' satisfies Limit },
}

/** The route of the other services. */
const neighbourForm = {
  path: '/api/neighbours',
  tag: 'System',
  access: 'member' satisfies Access,
  limit: '30' satisfies Limit,
}

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const cookies = createPageCookies(features.account)
  return [
    healthRoute(features.isWritable),
    metricsRoute(features.metrics),
    neighbourRoute(features.neighbours, neighbourForm),
    ...accountRoutes(features.account, cookies),
    ...openIdSignInRoutes(features.account, cookies),
    ...portalConnectionRoutes(features),
    ...ownMethodRoutes({ ...features.account, methods: features.signInMethods }, cookies),
    ...(features.tokens === undefined ? [] : ownTokenRoutes(features.tokens, features.securityLog)),
    ...securityLogRoutes(features.securityLog, securityLogMount),
    ...jobRoutes(features),
    ...reanalysisRoutes(features.analysisRequests),
    ...libraryRoutes(features),
    ...collectionRoutes(features),
    ...infoRoutes(features),
    ...failureRoutes(features),
    ...healthRoutes(features),
    ...listRoutes(features),
    ...intakeRoutes(features),
    ...followRoutes(features),
    ...deliveryRoutes(features),
    ...eventRoutes(features),
    ...settingsRoutes(features, (call) => cookies.endSession(call)),
    ...backupRoutes(features.backups, backupForm),
    ...waveformRoutes(features),
    ...workbenchRoutes(features),
    ...exportRoutes(features),
    ...beatRoutes(features),
    ...trimRoutes(features),
    ...stemAccountRoutes(features),
    ...stemRoutes(features),
    ...shareRoutes(features),
    ...visitorRoutes({ ...features, isPublishedSecurely: features.account.isPublishedSecurely }),
    ...feedRoutes(features),
    ...cookieRoutes(features),
    ...thumbnailRoutes(features),
    ...logoRoutes(features),
    ...statisticsRoutes(features),
    ...spaceRoutes(features),
    ...systemRoutes(features),
    ...notificationRoutes<Access, Limit>(features.notifications, {
      prefix: '/api/notifications',
      access: 'account',
      limits: { read: '60', write: '30', test: '10' },
      invalidStatus: 400,
    }),
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
    async ({ answer }) => {
      answer.header(serviceHeader, 'media')
      if (!(await isWritable())) throw unavailable('The data directory cannot be written')
      return { status: 'ok' as const }
    },
  )
}
