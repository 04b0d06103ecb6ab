import type { AddressInfo } from 'node:net'
import { createAttempts, type SetUpToken } from '@hearth/accounts'
import type { Database } from '@hearth/database'
import { createAddressSet, createServer, openApiOf } from '@hearth/http'
import type { Log, Timers } from '@hearth/runtime'
import { about } from './about.ts'
import { createGuard, type Guard } from './access.ts'
import { createAccounts, type Accounts } from './accounts/accounts.ts'
import { createSessionCookies } from './accounts/cookies.ts'
import type { SignInSurroundings } from './accounts/session-routes.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import { createEvents, type Events } from './events/events.ts'
import { openManagement, type Management } from './management.ts'
import type { CaddyProcess } from './nodes/caddy-process.ts'
import { openObserving } from './observing.ts'
import { createOverview } from './overview/overview.ts'
import { toError } from './problems.ts'
import { createPasskeys } from './passkeys/passkeys.ts'
import { createRouteLimits, type RouteLimits } from './route-limits.ts'
import { allRoutes, type Features } from './routes.ts'
import { openSettings, type SettingsKeeper } from './settings/settings.ts'

/** What the service is built from. */
export interface AppParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: Database<Tables>
  /** The service's key, 32 bytes. */
  readonly secret: Uint8Array
  readonly setUpToken: SetUpToken
  /** Folder of the built web pages. */
  readonly pages: string
  /** The Caddy of the service itself, if it runs one. */
  readonly own: CaddyProcess | undefined
}

/** The running service. */
export interface App {
  readonly http: Awaited<ReturnType<typeof createServer>>
  readonly accounts: Accounts
  readonly settings: SettingsKeeper
  readonly events: Events
  readonly management: Management
  /** Stops answering. The database stays open. */
  close(): Promise<void>
}

/** Wires the whole service together. The server does not listen yet. */
export async function createApp(parts: AppParts): Promise<App> {
  const { config, timers } = parts
  const events = createEvents(timers)
  const settings = await openPublishedSettings(parts, events)
  let port = () => config.bindPort
  const { accounts, limits, guard } = openAccess(parts, { events, port: () => port() })
  const served = await openServed(parts, { settings, accounts, events, port: () => port() })
  let document: Record<string, unknown> = {}
  const features: Features = {
    now: () => timers.now(),
    general: { readiness: served.management.readiness, build: config.build, document: () => document },
    ...accountFeatures(parts, { accounts, limits, port: () => port() }),
    settings,
    events,
    ...served.features,
  }
  const http = await createHttp(parts, guard, features)
  document = openApiOf(http)
  // The system may have chosen another one than the settings say.
  port = () => (http.server.address() as AddressInfo | null)?.port ?? config.bindPort
  await served.start()
  return {
    http,
    accounts,
    settings,
    events,
    management: served.management,
    async close() {
      events.close()
      await http.close()
      await served.close()
    },
  }
}

/** The part of the service that is about sites. */
interface Served {
  readonly management: Management
  readonly features: Management['features'] & Pick<Features, 'certificates' | 'traffic' | 'overview'>
  start(): Promise<void>
  close(): Promise<void>
}

/** The sites, what they run on, and what is seen of them. */
async function openServed(
  parts: AppParts,
  around: { settings: SettingsKeeper; accounts: Accounts; events: Events; port: () => number },
): Promise<Served> {
  const observing = await openObserving({ ...parts, ...around })
  const { uploads } = observing.certificates
  const { material } = uploads
  const management = await openManagement({ ...parts, ...around, publish: observing.publish, uploads, material })
  const overview = createOverview({
    db: parts.database.query,
    clock: parts.timers,
    nodes: management.features.nodes,
    inventory: observing.certificates.inventory,
    ...observing.traffic,
    isDrifted: () => management.proxy.drift.current().length > 0,
  })
  return {
    management,
    features: {
      ...management.features,
      certificates: observing.certificates,
      traffic: observing.traffic,
      overview,
    },
    async start() {
      await management.start()
      await observing.start(management.proxy)
    },
    async close() {
      await observing.close()
      await management.close()
    },
  }
}

function createHttp({ config, log, pages }: AppParts, guard: Guard, features: Features) {
  return createServer({
    routes: allRoutes(features),
    about,
    guard,
    toError,
    trust: { proxies: createAddressSet(config.trustedProxies), header: config.forwardedHeader },
    log,
    pages,
    apiPaths: ['/api', '/docs', '/redoc', '/openapi.json'],
  })
}

/** The settings, whose changes everybody hears of. */
async function openPublishedSettings({ database }: AppParts, events: Events): Promise<SettingsKeeper> {
  const settings = await openSettings(database.query)
  settings.onChange((after, before) => {
    const names = Object.keys(after) as (keyof typeof after)[]
    const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    events.publish({ type: 'settings', action: 'updated', id: null, details: { changed } })
  })
  return settings
}

interface Access {
  readonly accounts: Accounts
  readonly limits: RouteLimits
  readonly guard: Guard
}

/** Who may come in, and how often. */
function openAccess(parts: AppParts, { events, port }: { events: Events; port: () => number }): Access {
  const { config, database, timers } = parts
  const attempts = createAttempts(database.query, timers)
  const limits = createRouteLimits({ attempts, clock: timers })
  const accounts = createAccounts({
    ...parts,
    clock: timers,
    relyingPartyId: config.relyingParty.id,
    attempts,
    onSessionEnded: (key) => events.endSession(key),
    onAccessChanged: (userId) => events.endUser(userId),
  })
  const guard = createGuard({
    limits,
    identify: (key) => accounts.sessions.identify(key),
    visitors: accounts.visitors,
    isSetUp: () => accounts.users.isSetUp(),
    // A browser on this machine may call the service by its name or its address.
    origins: () => [...config.origins, ...config.relyingParty.origins(port())],
    publicUrl: config.publicUrl,
    now: () => timers.now(),
    onLimited({ client }, { limit }) {
      if (!limit.startsWith('lasting')) return
      accounts.securityLog.failed({ client: client.address, reason: 'rate_limited', status: 429 })
    },
  })
  return { accounts, limits, guard }
}

interface AccountSurroundings {
  readonly accounts: Accounts
  readonly limits: RouteLimits
  readonly port: () => number
}

/** All the ways to sign in. */
function accountFeatures(parts: AppParts, { accounts, limits, port }: AccountSurroundings) {
  const { config, timers } = parts
  const cookies = createSessionCookies(config.publicUrl)
  const refund: SignInSurroundings['refund'] = (spec, address) => limits.refund(spec, address)
  const passkeys = createPasskeys({ ...parts, ...accounts, clock: timers, relyingParty: config.relyingParty, port })
  return { accounts, signIn: { cookies, refund }, passkeys } satisfies Partial<Features>
}
