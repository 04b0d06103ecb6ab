import type { Route } from '@hearth/http'
import type { Accounts } from './accounts/accounts.ts'
import { sessionRoutes, type SignInSurroundings } from './accounts/session-routes.ts'
import { userRoutes } from './accounts/user-routes.ts'
import type { EventRing } from './events/event-ring.ts'
import { eventRoutes } from './events/routes.ts'
import { generalRoutes, type GeneralParts } from './general-routes.ts'
import type { Passkeys } from './passkeys/passkeys.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import type { SettingsKeeper } from './settings/settings.ts'

/** Everything the endpoints call. */
export interface Features {
  readonly general: GeneralParts
  readonly accounts: Accounts
  readonly signIn: SignInSurroundings
  readonly passkeys: Passkeys
  readonly settings: SettingsKeeper
  readonly events: EventRing
}

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const { general, accounts, signIn, settings, events } = features
  return [
    ...generalRoutes(general),
    ...sessionRoutes(accounts, signIn),
    ...passkeyRoutes(features.passkeys, signIn),
    ...userRoutes(accounts.users),
    ...settingsRoutes(settings),
    ...eventRoutes(events, accounts.sessions),
  ]
}
