import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { OpenGuarded } from '@hearth/outbound'
import { createAddressSet, createServer, openApiOf } from '@hearth/http'
import { systemClock, type Clock, type Log } from '@hearth/runtime'
import { about, version } from './about.ts'
import { createGuard, type Caller, type Guard, type Identify } from './access.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import type { RunningResolver } from './dns/process/running-resolver.ts'
import { createEvents, type Events } from './events/events.ts'
import { openGeographyData, type GeographyData } from './geography/open-geography.ts'
import { createGeography } from './geography/geography.ts'
import { createDriftRecord, readHealth, type DriftRecord } from './health/health.ts'
import { createDesiredDevices } from './interfaces/desired-devices.ts'
import { createHostLinks } from './interfaces/host-links.ts'
import { Interfaces } from './interfaces/interfaces.ts'
import { proposeInterface } from './interfaces/proposal.ts'
import { allInterfaceRows } from './interfaces/store.ts'
import { readOverview } from './overview/overview.ts'
import { Peers } from './peers/peers.ts'
import { openSampler, type Sampler } from './peers/sampler.ts'
import { startSampling, type SamplingLoop } from './peers/sampling-loop.ts'
import { toError } from './problems.ts'
import { allRoutes, type Features } from './routes.ts'
import { openNameService, type NameService } from './name-service.ts'
import { Sessions } from './sessions/sessions.ts'
import { publicEndpointOf, readPublicEndpoint, type EndpointContext } from './settings/public-endpoint.ts'
import type { Settings } from './settings/schema.ts'
import { openSettings, type SettingsKeeper } from './settings/settings.ts'
import { Tokens } from './tokens/tokens.ts'
import { forgetFirstPassword } from './users/first-administrator.ts'
import { createTrafficHistory } from './traffic/history.ts'
import { TrafficRecorder } from './traffic/recorder.ts'
import { startRetention, type Retention } from './traffic/retention.ts'
import { Users } from './users/users.ts'
import type { DataPlaneChoice } from './wireguard/choose-driver.ts'
import type { WireGuardDriver } from './wireguard/device.ts'
import type { Firewall } from './wireguard/firewall.ts'
import { createTunnels, type Tunnels } from './wireguard/tunnels.ts'
import { describeDrift } from './wireguard/drift-message.ts'

/** What the service is built from: its settings, its opened database and the data plane that was chosen. */
export interface AppParts {
  readonly config: Config
  readonly log: Log
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly dataPlane: DataPlaneChoice
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  readonly resolver: RunningResolver
  /** Fetches lists and databases from places an operator named, through the guard. */
  readonly open: OpenGuarded
  /** Folder of the built web pages. */
  readonly pages: string
  readonly clock?: Clock
}

/** The running service. */
export interface App {
  readonly http: Awaited<ReturnType<typeof createServer>>
  readonly tunnels: Tunnels
  readonly sampler: Sampler
  /** Stops answering and watching. Tunnels keep running, and the database stays open. */
  close(): Promise<void>
}

/** Wires the whole service together and brings the tunnels to what the database wants. The server does not listen yet. */
export async function createApp(parts: AppParts): Promise<App> {
  const { config, log, clock = systemClock } = parts
  const events = createEvents(version)
  const accounts = await openAccounts(parts, events, clock)
  const plane = await openPlane(parts, { ...accounts, events, clock })
  parts.resolver.attach(log, (count) => events.publish({ type: 'queries', count }))
  const names = await openNames(parts, events, clock)
  const features = createFeatures(parts, { ...plane, ...accounts, ...names, events, clock })
  let document: Record<string, unknown> = {}
  const http = await createServer({
    routes: allRoutes({ ...features, document: () => document }),
    about,
    guard: (guarded, spec) => accounts.guard.check(guarded, spec),
    toError,
    trust: { proxies: createAddressSet(config.trustedProxies), header: config.forwardedHeader },
    log,
    pages: parts.pages,
  })
  document = openApiOf(http)
  await plane.tunnels.reconcileAll()
  plane.tunnels.watch(config.driftCheckSeconds * 1000)
  const retention = startRetention({ ...retentionParts(parts, plane, accounts.settings), clock })
  const sampling = startLoop(parts, { ...plane, ...names, settings: accounts.settings, events, features })
  followSettings(accounts.settings, { sampling, retention, places: plane.places })
  return {
    http,
    tunnels: plane.tunnels,
    sampler: plane.sampler,
    async close() {
      events.close()
      await http.close()
      await sampling.close()
      await retention.close()
      await plane.places.close()
      await names.close()
      await plane.tunnels.close()
    },
  }
}

interface Plane {
  readonly tunnels: Tunnels
  readonly sampler: Sampler
  readonly desired: ReturnType<typeof createDesiredDevices>
  readonly recorder: TrafficRecorder
  readonly places: GeographyData
  readonly drifts: DriftRecord
}

type PlaneParts = Pick<Wired, 'settings' | 'events' | 'clock'>

async function openPlane(parts: AppParts, { settings, events, clock }: PlaneParts): Promise<Plane> {
  const { config, database, sealer, driver, firewall, open, log } = parts
  const drifts = createDriftRecord(clock)
  const desired = createDesiredDevices({ db: database.query, sealer, clock })
  const tunnels = createTunnels({
    driver,
    firewall,
    desired: (name) => desired.read(name),
    log,
    onDrift(drift) {
      const message = describeDrift(drift)
      log.warn({ interface: drift.interface }, message)
      drifts.note(drift.interface ?? 'firewall', message)
      events.publish({ type: 'drift', interface: drift.interface ?? 'firewall', message })
    },
  })
  const places = await openGeographyData({ config, database, clock, log, open, settings: () => settings.current() })
  const recorder = new TrafficRecorder((trx, closed) => places.attribution.addEndpoints(trx, closed))
  const sampler = await openSampler({ database, devices: tunnels, clock, log, traffic: recorder })
  return { tunnels, sampler, desired, recorder, places, drifts }
}

function openNames(parts: AppParts, events: Events, clock: Clock): Promise<NameService> {
  const { config, database, log, resolver, open, dataPlane } = parts
  return openNameService({
    config,
    database,
    log,
    clock,
    resolver,
    open,
    hasTunnels: dataPlane.backend !== 'simulated',
    publish: (event) => events.publish(event),
  })
}

async function openAccounts({ config, database }: AppParts, events: Events, clock: Clock) {
  const settings = await openSettings(database.query)
  const onAccessChanged = (userId: string) => events.drop(userId)
  const sessions = new Sessions({
    database,
    clock,
    onAccessChanged,
    timeoutMinutes: () => settings.current().session_timeout_minutes,
    onPasswordChanged: (user) => forgetFirstPassword(config.dataDirectory, user),
  })
  const tokens = new Tokens({ database, clock, onAccessChanged })
  const users = new Users({ database, clock, onAccessChanged })
  const identify: Identify = async ({ bearer, sessionKey, address }) => {
    if (bearer !== undefined) return tokens.identify(bearer, address)
    return sessionKey === undefined ? undefined : sessions.identify(sessionKey)
  }
  const guard: Guard = createGuard({ identify, exempt: config.rateLimitExempt, clock })
  const stillValid = ({ via }: Caller) => (via.kind === 'token' ? tokens.isUsable(via.id) : sessions.isUsable(via.key))
  return { settings, sessions, tokens, users, guard, stillValid }
}

type Wired = Plane & Awaited<ReturnType<typeof openAccounts>> & NameService & { events: Events; clock: Clock }

function createFeatures(parts: AppParts, wired: Wired): Omit<Features, 'document'> {
  const { database, sealer, config } = parts
  const { clock, tunnels, sampler, desired, guard, recorder, places } = wired
  const settings = () => wired.settings.current()
  const host = createHostLinks(parts.driver)
  const shared = { database, sealer, clock, settings, tunnels, desired, sampler }
  const endpoint = endpointContext(parts, settings)
  const history = createTrafficHistory({ database, clock, recorder, peers: sampler })
  const { filtering, drifts } = wired
  const health = () => readHealth({ database, clock, dataPlane: parts.dataPlane, tunnels, filtering, drifts })
  return {
    ...wired,
    interfaces: new Interfaces({ ...shared, host, onChanged: () => wired.filtering.interfacesChanged() }),
    peers: new Peers({
      ...shared,
      publicEndpoint: (requestHost) => publicEndpointOf(endpoint, requestHost).host,
      onChanged: (id) => wired.filtering.peersChanged([id]),
    }),
    publicEndpoint: (requestHost) => readPublicEndpoint(endpoint, requestHost),
    proposal: () => proposeInterface({ database, host, settings }),
    overview: () => readOverview({ ...shared, version, dataPlane: parts.dataPlane, history, filtering, health }),
    health,
    history,
    geography: createGeography({ database, clock, recorder, ...places, peers: () => sampler.peers() }),
    signInSurroundings: {
      refundSignIn: (address) => guard.refundSignIn(address),
      isPublishedSecurely: config.publicUrl?.startsWith('https:') === true,
    },
  }
}

function endpointContext({ config, database }: AppParts, settings: () => Settings): EndpointContext {
  return {
    setting: () => settings().public_endpoint,
    fixed: config.publicEndpoint,
    ownInterfaces: async () => new Set((await allInterfaceRows(database.query)).map(({ name }) => name)),
  }
}

function retentionParts({ database, log }: AppParts, { sampler, places }: Plane, settings: Wired['settings']) {
  return {
    database,
    log,
    peers: () => Array.from(sampler.peers(), ({ id }) => id),
    retentionDays: () => settings.current().metrics_retention_days,
    others: [(before: number) => places.tidy(before)],
  }
}

/** A setting that says how often or how long takes hold at once. */
function followSettings(
  settings: SettingsKeeper,
  { sampling, retention, places }: { sampling: SamplingLoop; retention: Retention; places: GeographyData },
): void {
  settings.subscribe('sample_interval_seconds', () => sampling.intervalChanged())
  settings.subscribe('metrics_retention_days', () => retention.changed())
  settings.subscribe('geoip_country_url', () => places.addressChanged())
  settings.subscribe('geoip_asn_url', () => places.addressChanged())
}

type LoopParts = Plane & Pick<Wired, 'settings' | 'filtering' | 'events'> & { features: Pick<Features, 'overview'> }

function startLoop(
  { log }: AppParts,
  { sampler, settings, filtering, events, tunnels, features }: LoopParts,
): SamplingLoop {
  return startSampling({
    sampler,
    log,
    intervalMs: () => settings.current().sample_interval_seconds * 1000,
    publish: (event) => events.publish(event),
    onExpired: async (name, ids) => {
      await tunnels.reconcile(name)
      await filtering.peersChanged(ids)
    },
    onSample: async () => {
      if (events.listeners() > 0) events.publish({ type: 'overview', overview: await features.overview() })
    },
  })
}
