import type { Socket } from 'node:net'
import { createThrottle } from '@hearth/accounts'
import type { Database } from '@hearth/database'
import { clientAddress, createAddressSet, createServer, openApiOf } from '@hearth/http'
import type { Log, Timers } from '@hearth/runtime'
import { about, version } from './about.ts'
import { Gate, maxFailures, type Caller } from './access.ts'
import { Sessions } from './accounts/sessions.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Config } from './config.ts'
import { createLayoutStore } from './dashboard/layout.ts'
import type { Tables } from './database/tables.ts'
import { openControl, type Control } from './control.ts'
import { testConnection } from './devices/connection-test.ts'
import { DeviceViews } from './devices/device-view.ts'
import type { Devices } from './devices/devices.ts'
import { createDiagnostics } from './diagnostics/diagnostics.ts'
import { createSlaveSearch } from './diagnostics/slaves.ts'
import type { DispatchStore } from './dispatch/store.ts'
import { createEvents, type Events } from './events/events.ts'
import { Health } from './health/health.ts'
import { Metrics } from './metrics/metrics.ts'
import { createQuickReading, quickRoute } from './metrics/quick-reading.ts'
import { toError } from './problems.ts'
import { createExposition, type Exposition } from './prometheus/exposition.ts'
import { createReleaseCheck } from './releases/release-check.ts'
import { allRoutes, type Features } from './routes.ts'
import { openSettings, type SettingsKeeper } from './settings/settings.ts'
import { Tokens } from './tokens/tokens.ts'

/** What the service is built from. */
export interface AppParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly catalog: Catalog
  readonly database: Database<Tables>
  /** Nothing is sent to a device, for a command while no service runs. */
  readonly isOffline: boolean
  readonly isOperator: (socket: Socket) => boolean
  /** Folder of the built web pages. */
  readonly pages: string
  /** For tests that watch or hinder what is persisted. */
  readonly wrapDispatchStore?: (store: DispatchStore) => DispatchStore
}

/** The running service. */
export interface App {
  readonly http: Awaited<ReturnType<typeof createServer>>
  readonly devices: Devices
  readonly control: Control
  readonly events: Events
  close(): Promise<void>
}

/** Largest body of a request, bytes. */
const bodyLimit = 524_288

/** Wires the whole service together. The server does not listen yet; devices are already being talked to. */
export async function createApp(parts: AppParts): Promise<App> {
  const { config } = parts
  let isStopping = false
  const events = createEvents(version)
  const settings = await openSettings(parts.database, parts.catalog)
  const exposition = createExposition({
    catalog: parts.catalog,
    devices: () => control.graph.devices(),
    endpoints: () => control.graph.endpoints(),
    exposed: () => settings.current().scraper.metrics,
  })
  const control = await openControl({
    ...parts,
    events,
    settings,
    isStopping: () => isStopping,
    onExchange: (deviceId, seconds) => exposition.observeExchange(deviceId, seconds),
  })
  const accounts = openAccounts(parts, { settings, events, isStopping: () => isStopping })
  const wired = { control, accounts, exposition, settings, events }
  const http = await createHttp(parts, { ...createFeatures(parts, wired), isStopping: () => isStopping }, wired)
  await control.start(config.isTrial)
  return {
    http,
    devices: control.devices,
    control,
    events,
    async close() {
      isStopping = true
      // The web pages and programs go on reading while the devices get their own settings back.
      await control.handBackAll()
      events.close()
      await http.close()
      await control.close()
    },
  }
}

async function createHttp(
  { config, log, pages, catalog }: AppParts,
  features: Omit<Features, 'document'>,
  { accounts, exposition, control }: Wired,
): ReturnType<typeof createServer> {
  const trust = { proxies: createAddressSet(config.trustedProxies), header: config.forwardedHeader }
  let document: Record<string, unknown> = {}
  const http = await createServer({
    routes: allRoutes({ ...features, document: () => document }),
    about,
    guard: (guarded, spec) => accounts.gate.check(guarded, spec),
    toError: (error, { url, id }) => toError(error, { instance: url.replace(/\?.*/s, ''), correlationId: id }),
    onAnswered: (spec, status) => exposition.countRequest(`${spec.method} ${spec.path}`, status),
    trust,
    log,
    pages,
    shortcut: createQuickReading({
      device: (id) => control.graph.device(id),
      byName: (name) => catalog.byName(name),
      allow: (request) => accounts.gate.allowQuickly(request, clientAddress(request, trust)),
      onAnswered: () => exposition.countRequest(quickRoute, 200),
    }),
    apiPaths: ['/api', '/admin/api'],
    bodyLimit,
  })
  document = openApiOf(http)
  return http
}

interface Accounts {
  readonly gate: Gate
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly stillValid: (caller: Caller) => Promise<boolean>
}

interface Surroundings {
  readonly settings: SettingsKeeper
  readonly events: Events
  readonly isStopping: () => boolean
}

function openAccounts(
  { config, database, timers, isOperator }: AppParts,
  { settings, events, isStopping }: Surroundings,
): Accounts {
  const onAccessChanged = () => events.dropAll()
  const tokens = new Tokens({ database, clock: timers, onAccessChanged })
  const sessions = new Sessions({
    database,
    clock: timers,
    dataDirectory: config.dataDirectory,
    throttle: createThrottle(maxFailures, timers),
    exempt: createAddressSet(config.rateLimitExempt),
    onAccessChanged,
  })
  const gate = new Gate({
    clock: timers,
    requestsPerMinute: config.requestsPerMinute,
    exempt: config.rateLimitExempt,
    isDocsPublic: config.isDocsPublic,
    isVendorDiagnosticsOn: config.isVendorDiagnosticsOn,
    isWriteAccessOn: () => settings.isWriteAccessOn(),
    isStopping,
    scraping: () => {
      const { token_required: tokenRequired, requests_per_minute: perMinute, sources } = settings.current().scraper
      return { tokenRequired, perMinute, sources: createAddressSet(sources) }
    },
    identifyToken: (token) => tokens.identify(token),
    identifySession: (key) => sessions.identify(key),
    isOperator,
    recentToken: (token) => tokens.recent(token),
  })
  const stillValid = async ({ via }: Caller) => {
    if (via.kind === 'operator') return true
    return via.kind === 'token' ? tokens.isUsable(via.id) : (await sessions.identify(via.key)) !== undefined
  }
  return { gate, tokens, sessions, stillValid }
}

interface Wired {
  readonly control: Control
  readonly accounts: Accounts
  readonly exposition: Exposition
  readonly settings: SettingsKeeper
  readonly events: Events
}

function createFeatures(parts: AppParts, wired: Wired): Omit<Features, 'document' | 'isStopping'> {
  const { config, catalog, timers, database } = parts
  const { control, accounts, settings, events, exposition } = wired
  const { graph, devices, approvals, readiness } = control
  const device = (id: string) => graph.device(id)
  return {
    events,
    stillValid: accounts.stillValid,
    sessions: accounts.sessions,
    sessionSurroundings: { isPublishedSecurely: config.publicUrl?.startsWith('https:') === true },
    tokens: accounts.tokens,
    settings,
    settingsSurroundings: {
      environment: () => environmentOf(config),
      setWriteAccess: (on) => control.setWriteAccess(on),
    },
    approvals,
    devices,
    deviceSurroundings: {
      views: new DeviceViews(devices, (id) => {
        const runtime = graph.device(id)
        return runtime === undefined ? undefined : readiness.device(runtime)
      }),
      test: (input) => testConnection(input, { graph, catalog, timers }),
    },
    metrics: new Metrics({ catalog, approvals, device, writes: control.writes }),
    readiness,
    dispatch: control.dispatch,
    energy: control.energy,
    capabilities: control.capabilities,
    health: new Health({ catalog, device, now: () => timers.now() }),
    journal: control.journal,
    diagnostics: createDiagnostics({
      catalog,
      devices: () => graph.devices(),
      endpoints: () => graph.endpoints(),
      slaves: createSlaveSearch(catalog, timers),
    }),
    exposition,
    layout: createLayoutStore(database),
    releases: createReleaseCheck({ version, url: config.releasesUrl, timers }),
  }
}

function environmentOf(config: Config): ReturnType<Features['settingsSurroundings']['environment']> {
  return {
    bind_address: config.bindAddress,
    bind_port: config.bindPort,
    docs_public: config.isDocsPublic,
    vendor_diagnostics: config.isVendorDiagnosticsOn,
    trusted_proxies: config.trustedProxies,
    forwarded_header: config.forwardedHeader,
    requests_per_minute: config.requestsPerMinute,
  }
}
