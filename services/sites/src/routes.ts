import { securityLogRoutes } from '@hearth/accounts/security-log-routes'
import type { Route } from '@hearth/http'
import { metricsRoute, type Metrics } from '@hearth/metrics'
import { notificationRoutes, type Notifications } from '@hearth/notifications'
import { backupRoutes, type BackupControl } from '@hearth/service'
import type { Access, Caller, Limit, SessionCaller } from './access.ts'
import type { Accounts } from './accounts/accounts.ts'
import { openIdSignInRoutes, type OpenIdSignInDependencies } from './accounts/openid.ts'
import type { Role } from './accounts/schema.ts'
import { sessionRoutes, type SignInContext } from './accounts/session-routes.ts'
import { userRoutes } from './accounts/user-routes.ts'
import type { Events } from './events/events.ts'
import { applyRoutes, type ApplyRoutesDependencies } from './deploy/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { generalRoutes, type GeneralDependencies } from './general-routes.ts'
import { acmeRoutes, type AcmeFeature } from './acme/routes.ts'
import { certificateRoutes } from './certificates/routes.ts'
import type { Certificates } from './certificates/certificates.ts'
import { sslLabsRoutes } from './certificates/ssl-labs/routes.ts'
import { uploadRoutes } from './certificates/uploads/routes.ts'
import type { Uploads } from './certificates/uploads/uploads.ts'
import type { ManagedNodes } from './deploy/nodes/managed-nodes.ts'
import { nodeRoutes } from './deploy/nodes/routes.ts'
import { onDemandRoutes } from './deploy/on-demand-routes.ts'
import { importRoutes, onboardingRoutes, type OnboardingRoutesDependencies } from './import/routes.ts'
import type { Imports } from './import/imports.ts'
import { openIdClientRoutes } from './openid-provider/clients/routes.ts'
import type { OpenIdProvider } from './openid-provider/openid-provider.ts'
import type { SitePasskeys } from './passkeys/passkeys.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import type { Overview } from './overview/overview.ts'
import { overviewRoutes } from './overview/routes.ts'
import { conflict } from './problems.ts'
import type { Portal } from './portal/portal.ts'
import { portalRoutes } from './portal/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import type { SettingsStore } from './settings/settings.ts'
import type { CheckUpstreams } from './traffic/upstreams/check-upstreams.ts'
import { siteRoutes } from './sites/routes.ts'
import type { ExplainSite } from './sites/preview-schema.ts'
import { statusPageRoutes } from './uptime/status-page/routes.ts'
import { uptimeRoutes, type UptimeFeature } from './uptime/routes.ts'
import { type TrafficFeature, trafficRoutes, upstreamRoutes } from './traffic/routes.ts'
import type { Sites } from './sites/sites.ts'
import { ownTokenRoutes } from './tokens/routes.ts'
import type { Tokens } from './tokens/tokens.ts'
import { vpnLinkRoutes } from './vpn-link/routes.ts'
import type { VpnLink } from './vpn-link/vpn-link.ts'

/** Everything the endpoints call. */
export interface Features {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly general: GeneralDependencies
  readonly metrics: Metrics
  readonly accounts: Accounts
  readonly signIn: SignInContext
  readonly openIdSignIn: OpenIdSignInDependencies
  readonly passkeys: SitePasskeys
  /** Undefined while API tokens are switched off: then there are no routes of them either. */
  readonly tokens: Tokens | undefined
  /** The role a caller has by now; undefined when the session or the token is over. */
  readonly roleNow: (caller: Caller) => Promise<Role | undefined>
  readonly settings: SettingsStore
  readonly backups: BackupControl
  readonly events: Events
  readonly sites: Sites
  readonly explain: ExplainSite
  readonly checkUpstreams: CheckUpstreams
  readonly applying: ApplyRoutesDependencies
  readonly taking: OnboardingRoutesDependencies
  readonly nodes: ManagedNodes
  readonly certificates: Certificates
  readonly uploads: Uploads
  readonly acme: AcmeFeature
  readonly vpnLink: VpnLink
  readonly traffic: TrafficFeature
  readonly uptime: UptimeFeature
  readonly overview: Overview
  readonly portal: Portal
  readonly openIdProvider: OpenIdProvider
  readonly imports: Imports
  readonly notifications: Notifications
  readonly mayHaveCertificate: (domain: string) => Promise<boolean>
}

/** The routes of the scheduled backups. */
const backupForm = {
  path: '/api/v1/backups',
  tag: 'Settings',
  access: 'admin' satisfies Access,
  limits: { read: '60/min' satisfies Limit, run: '5/min' satisfies Limit },
  refuse: (detail: string) => conflict(detail),
}

/** The routes of the security log: administrators read all of it, others what is about themselves. */
const securityLogMount = {
  path: '/api/security-log',
  tag: 'Security log',
  access: 'session' satisfies Access,
  limits: { read: '60/min' satisfies Limit, export: '10/min' satisfies Limit },
  description: 'Administrators read everything, others what they did themselves.',
  onlyUser: ({ role, userId }: SessionCaller) => (role === 'admin' ? undefined : userId),
}

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const { general, accounts, signIn, settings, events } = features
  return [
    ...generalRoutes(general),
    metricsRoute(features.metrics),
    ...sessionRoutes(accounts, signIn),
    ...openIdSignInRoutes(features.openIdSignIn),
    ...passkeyRoutes(features.passkeys, { ...signIn, securityLog: accounts.securityLog }),
    ...(features.tokens === undefined ? [] : ownTokenRoutes(features.tokens, accounts.securityLog)),
    ...userRoutes(accounts),
    ...portalRoutes(features.portal, accounts.securityLog),
    ...openIdClientRoutes(features.openIdProvider, accounts.securityLog),
    ...securityLogRoutes<SessionCaller>(accounts.securityLog, securityLogMount),
    ...settingsRoutes(settings, features.now),
    ...backupRoutes(features.backups, backupForm),
    ...eventRoutes(events, features.roleNow),
    ...siteRoutes(features.sites, features),
    ...upstreamRoutes(features.checkUpstreams),
    ...applyRoutes(features.applying),
    ...onboardingRoutes(features.taking),
    ...nodeRoutes(features.nodes),
    ...certificateRoutes(features.certificates),
    ...uploadRoutes(features.uploads),
    ...acmeRoutes(features.acme, accounts.securityLog),
    ...vpnLinkRoutes(features.vpnLink, accounts.securityLog),
    ...sslLabsRoutes(features.certificates.sslLabs),
    ...trafficRoutes(features.traffic),
    ...uptimeRoutes(features.uptime),
    ...statusPageRoutes(features.uptime.pages, accounts.securityLog),
    ...onDemandRoutes(features.mayHaveCertificate),
    ...overviewRoutes(features.overview),
    ...importRoutes(features.imports),
    ...notificationRoutes<Access, Limit>(features.notifications, {
      prefix: '/api/v1/notifications',
      access: 'admin',
      limits: { read: '60/min', write: '30/min', test: '10/min' },
    }),
  ]
}
