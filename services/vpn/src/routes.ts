import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { securityLogRoutes, type SecurityLogMount } from '@hearth/accounts/security-log-routes'
import { SecurityEvent } from '@hearth/accounts/security-log-schema'
import type { SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { Route } from '@hearth/http'
import { metricsRoute, type Metrics } from '@hearth/metrics'
import { notificationRoutes, type Notifications } from '@hearth/notifications'
import { backupRoutes, neighbourRoute, serviceHeader, type BackupControl, type ListNeighbours } from '@hearth/service'
import { z } from 'zod'
import { route, type Access, type Caller, type Limit } from './access.ts'
import { version } from './about.ts'
import { type Access as AccessFeature, accessRoutes } from './access-rules/routes.ts'
import type { AsCode } from './as-code/as-code.ts'
import { asCodeRoutes } from './as-code/routes.ts'
import type { ConnectionHistory } from './connections/history.ts'
import { connectionRoutes } from './connections/routes.ts'
import type { Filtering } from './filtering/filtering.ts'
import type { DnsImportDependencies } from './dns-import/dns-import.ts'
import { dnsImportRoutes } from './dns-import/routes.ts'
import { dnsRoutes } from './filtering/routes.ts'
import { dataEnvelope, envelope, ok, OpenApiDocument, page, pageEnvelope } from './envelope.ts'
import type { Events } from './events/events.ts'
import { eventRoutes } from './events/routes.ts'
import type { Geography } from './geography/geography.ts'
import { geographyRoutes } from './geography/routes.ts'
import type { HealthNotice } from './health/schema.ts'
import type { Hints } from './hints/hints.ts'
import { hintRoutes } from './hints/routes.ts'
import { type InterfaceFeature, interfaceRoutes } from './interfaces/routes.ts'
import type { Lists } from './lists/lists.ts'
import { listRoutes } from './lists/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { Problem } from './problems.ts'
import type { Dashboard } from './overview/schema.ts'
import { peerImportRoutes } from './peer-import/routes.ts'
import { serverImportRoutes } from './server-import/routes.ts'
import type { ServerImportDependencies } from './server-import/server-import.ts'
import type { NameRequests } from './name-requests/name-requests.ts'
import { nameRequestRoutes } from './name-requests/routes.ts'
import { type NodeFeature, nodeRoutes } from './nodes/routes.ts'
import type { Configurations } from './peers/configurations.ts'
import type { Peers } from './peers/peers.ts'
import { peerRoutes } from './peers/routes.ts'
import type { QueryLog } from './query-log/query-log.ts'
import { queryLogRoutes, type QueryLogContext } from './query-log/routes.ts'
import type { PrivateDns } from './private-dns/private-dns.ts'
import { privateDnsRoutes } from './private-dns/routes.ts'
import { openIdSignInRoutes, type OpenIdSignInDependencies } from './sessions/openid.ts'
import { sessionRoutes, type SessionContext } from './sessions/routes.ts'
import type { Sessions } from './sessions/sessions.ts'
import { portalConnectionRoutes } from './sign-in-methods/openid-connection.ts'
import { ownMethodRoutes } from './sign-in-methods/routes.ts'
import type { PasskeyHolder } from './sign-in-methods/sign-in-methods.ts'
import { settingsRoutes, type ReadPublicEndpoint } from './settings/routes.ts'
import type { KeyRotations } from './key-rotation/key-rotations.ts'
import { keyRotationRoutes } from './key-rotation/routes.ts'
import type { Quotas } from './quotas/quotas.ts'
import { quotaRoutes } from './quotas/routes.ts'
import { setupLinkRoutes } from './setup-links/routes.ts'
import type { SetupLinks } from './setup-links/setup-links.ts'
import type { SettingsStore } from './settings/settings.ts'
import { tokenRoutes } from './tokens/routes.ts'
import type { Tokens } from './tokens/tokens.ts'
import type { TrafficHistory } from './traffic/history.ts'
import { trafficRoutes } from './traffic/routes.ts'
import { tunnelPageRoutes } from './tunnel-page/routes.ts'
import type { TunnelPage } from './tunnel-page/tunnel-page.ts'
import { userRoutes } from './users/routes.ts'
import type { Users } from './users/users.ts'

const Health = z
  .object({ status: z.literal('ok'), app: z.literal('Hearth VPN'), version: z.string() })
  .meta({ id: 'Health' })

/** Everything the endpoints call. */
export interface Features {
  readonly sessions: Sessions
  readonly signInMethods: SignInMethods<PasskeyHolder>
  readonly tokens: Tokens
  readonly users: Users
  readonly securityLog: SecurityLog
  readonly settings: SettingsStore
  readonly publicEndpoint: ReadPublicEndpoint
  readonly interfaces: InterfaceFeature
  readonly peers: Peers
  readonly configurations: Configurations
  readonly asCode: () => Promise<AsCode>
  readonly serverImport: ServerImportDependencies
  readonly dnsImport: DnsImportDependencies
  readonly connections: ConnectionHistory
  readonly quotas: Quotas
  readonly rotations: KeyRotations
  readonly accessRules: AccessFeature
  readonly setupLinks: SetupLinks
  readonly nameRequests: NameRequests
  readonly tunnelPage: Pick<TunnelPage, 'status'>
  readonly nodes: NodeFeature
  readonly filtering: Filtering
  readonly privateDns: PrivateDns
  readonly lists: Lists
  readonly queryLog: QueryLog
  readonly queryLogContext: QueryLogContext
  readonly events: Events
  readonly overview: () => Promise<Dashboard>
  readonly health: () => Promise<HealthNotice[]>
  readonly history: TrafficHistory
  readonly geography: Geography
  readonly hints: Hints
  readonly stillValid: (caller: Caller) => Promise<boolean>
  readonly signInContext: Omit<SessionContext, 'securityLog'>
  readonly openIdConnection: OpenIdConnection
  /** Ends the sessions with these hashes of their keys. */
  readonly endSessions: (hashes: readonly string[]) => Promise<void>
  readonly openIdSignIn: Omit<OpenIdSignInDependencies, 'context'>
  readonly metrics: Metrics
  readonly neighbours: ListNeighbours
  readonly notifications: Notifications
  readonly backups: BackupControl
  readonly document: () => Promise<Record<string, unknown>>
}

const counted: Limit = 'counted'

/** The routes of the scheduled backups. */
const backupForm = {
  path: '/api/backups',
  tag: 'Settings',
  access: 'admin' satisfies Access,
  limits: { read: counted, run: counted },
  envelope,
  refuse: (detail: string) => new Problem('conflict', detail),
}

/** The routes of the security log: administrators read all of it, others what is about themselves. */
const securityLogMount: SecurityLogMount<Caller> = {
  path: '/api/security-log',
  tag: 'Security log',
  access: 'signed-in' satisfies Access,
  limits: { read: counted, export: counted },
  description: 'Administrators read everything, others what they did themselves.',
  onlyUser: ({ role, userId }) => (role === 'admin' ? undefined : userId),
  envelope: {
    schema: pageEnvelope(SecurityEvent),
    wrap: ({ events: rows, total }, query) => page({ rows, total }, query),
  },
}

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const { events, sessions, tokens, users, settings, interfaces, peers, securityLog } = features
  const { publish } = events
  const signInContext = { ...features.signInContext, securityLog }
  return [
    ...generalRoutes(features.document, features.neighbours),
    metricsRoute(features.metrics),
    ...sessionRoutes(sessions, signInContext),
    ...openIdSignInRoutes({ ...features.openIdSignIn, context: signInContext }),
    ...ownMethodRoutes(features.signInMethods, sessions, signInContext),
    ...portalConnectionRoutes(features.openIdConnection, features.signInMethods, {
      ...signInContext,
      endSessions: features.endSessions,
    }),
    ...tokenRoutes(tokens, publish, securityLog),
    ...interfaceRoutes(interfaces, publish),
    ...peerRoutes(peers, features.configurations, publish),
    ...peerImportRoutes(features, publish, securityLog),
    ...serverImportRoutes(features.serverImport, publish),
    ...connectionRoutes(features.connections),
    ...quotaRoutes(features.quotas, publish),
    ...keyRotationRoutes(features.rotations, publish),
    ...accessRoutes(features.accessRules, publish),
    ...setupLinkRoutes(features.setupLinks, publish, securityLog),
    ...nameRequestRoutes(features.nameRequests),
    ...tunnelPageRoutes(features.tunnelPage),
    ...nodeRoutes(features.nodes, publish, securityLog),
    ...dnsRoutes(features.filtering, features.health, publish),
    ...privateDnsRoutes(features.privateDns, publish, securityLog),
    ...dnsImportRoutes(features.dnsImport, publish),
    ...listRoutes(features.lists, publish),
    ...queryLogRoutes(features.queryLog, features.queryLogContext),
    ...overviewRoutes(features.overview),
    ...trafficRoutes(features.history),
    ...geographyRoutes(features.geography),
    ...hintRoutes(features.hints),
    ...userRoutes(users, publish, securityLog),
    ...securityLogRoutes<Caller>(securityLog, securityLogMount),
    ...settingsRoutes(settings, features.publicEndpoint, publish),
    ...asCodeRoutes(features.asCode, securityLog),
    ...backupRoutes(features.backups, backupForm),
    ...eventRoutes(events, features.stillValid),
    ...notificationRoutes<Access, Limit>(features.notifications, {
      prefix: '/api/notifications',
      access: 'admin',
      limits: { read: 'counted', write: 'counted', test: 'counted' },
      envelope,
    }),
  ]
}

function generalRoutes(document: () => Promise<Record<string, unknown>>, neighbours: ListNeighbours): Route[] {
  const shared = { method: 'GET', tag: 'General' } as const
  return [
    route(
      {
        ...shared,
        path: '/health',
        summary: 'Whether the service answers',
        access: 'public',
        limit: 'none',
        success: { status: 200, body: dataEnvelope(Health) },
      },
      ({ answer }) => {
        answer.header(serviceHeader, 'vpn')
        return ok({ status: 'ok' as const, app: 'Hearth VPN' as const, version })
      },
    ),
    neighbourRoute(neighbours, {
      path: '/api/neighbours',
      tag: 'General',
      access: 'session' satisfies Access,
      limit: counted,
      envelope,
    }),
    route(
      {
        ...shared,
        path: '/api/openapi.json',
        summary: 'This description',
        compressed: true,
        access: 'signed-in',
        limit: 'counted',
        success: { status: 200, body: OpenApiDocument },
      },
      () => document(),
    ),
  ]
}
