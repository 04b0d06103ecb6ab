import type { Route } from '@hearth/http'
import type { Accounts } from './accounts/accounts.ts'
import { sessionRoutes, type SignInSurroundings } from './accounts/session-routes.ts'
import { userRoutes } from './accounts/user-routes.ts'
import type { Events } from './events/events.ts'
import { applyRoutes, type ApplyRoutesParts } from './apply/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { generalRoutes, type GeneralParts } from './general-routes.ts'
import { certificateRoutes } from './certificates/routes.ts'
import type { Certificates } from './certificates/certificates.ts'
import { sslLabsRoutes } from './certificates/ssl-labs/routes.ts'
import { uploadRoutes } from './certificates/uploads/routes.ts'
import type { NodeKeeper } from './nodes/node-keeper.ts'
import { nodeRoutes } from './nodes/routes.ts'
import { onDemandRoutes } from './on-demand/routes.ts'
import { importRoutes } from './onboarding/import-routes.ts'
import type { Imports } from './onboarding/imports.ts'
import { onboardingRoutes, type OnboardingRoutesParts } from './onboarding/routes.ts'
import type { Passkeys } from './passkeys/passkeys.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import type { Overview } from './overview/overview.ts'
import { overviewRoutes } from './overview/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import type { SettingsKeeper } from './settings/settings.ts'
import type { CheckUpstreams } from './sites/check-upstreams.ts'
import { siteRoutes } from './sites/routes.ts'
import { upstreamRoutes } from './sites/upstream-routes.ts'
import type { Sites } from './sites/sites.ts'
import { trafficRoutes, type TrafficFeature } from './traffic/routes.ts'

/** Everything the endpoints call. */
export interface Features {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly general: GeneralParts
  readonly accounts: Accounts
  readonly signIn: SignInSurroundings
  readonly passkeys: Passkeys
  readonly settings: SettingsKeeper
  readonly events: Events
  readonly sites: Sites
  readonly checkUpstreams: CheckUpstreams
  readonly applying: ApplyRoutesParts
  readonly taking: OnboardingRoutesParts
  readonly nodes: NodeKeeper
  readonly certificates: Certificates
  readonly traffic: TrafficFeature
  readonly overview: Overview
  readonly imports: Imports
  readonly mayHaveCertificate: (domain: string) => Promise<boolean>
}

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const { general, accounts, signIn, settings, events } = features
  return [
    ...generalRoutes(general),
    ...sessionRoutes(accounts, signIn),
    ...passkeyRoutes(features.passkeys, signIn),
    ...userRoutes(accounts.users),
    ...settingsRoutes(settings, features.now),
    ...eventRoutes(events, accounts.sessions),
    ...siteRoutes(features.sites, features.now),
    ...upstreamRoutes(features.checkUpstreams),
    ...applyRoutes(features.applying),
    ...onboardingRoutes(features.taking),
    ...nodeRoutes(features.nodes),
    ...certificateRoutes(features.certificates),
    ...uploadRoutes(features.certificates.uploads),
    ...sslLabsRoutes(features.certificates.sslLabs),
    ...trafficRoutes(features.traffic),
    ...onDemandRoutes(features.mayHaveCertificate),
    ...overviewRoutes(features.overview),
    ...importRoutes(features.imports),
  ]
}
