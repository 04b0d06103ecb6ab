import type { AddressInfo, Socket } from 'node:net'
import { createThrottle } from '@hearth/accounts'
import { endSessionsWith } from '@hearth/accounts'
import { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { SecurityLog } from '@hearth/accounts/security-log'
import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { clientAddress, createAddressSet, createServer } from '@hearth/http'
import { Notifications, startRepeatedCheck } from '@hearth/notifications'
import type { Log, Timers } from '@hearth/runtime'
import { createNeighbours, createReleaseCheck, type BackupControl } from '@hearth/service'
import { about, version } from './about.ts'
import { Gate, maxFailures, type Caller } from './access.ts'
import { openIdPath } from './accounts/openid.ts'
import { findActor, Sessions } from './accounts/sessions.ts'
import { openApprovals } from './approvals/approvals.ts'
import { CapabilityChecks } from './capability-checks/capability-checks.ts'
import { Capabilities } from './capabilities/capabilities.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Config } from './config.ts'
import { createLayoutStore } from './dashboard/layout.ts'
import type { Tables } from './tables.ts'
import { DeviceConnections } from './devices/device-connections.ts'
import { createIdentityCheck, openDevices } from './devices/devices.ts'
import { usualPort } from './devices/schema.ts'
import { createEmbeddedSimulator, simulatedDevice, verifySimulated } from './devices/simulated-device.ts'
import { createDiagnostics } from './diagnostics/diagnostics.ts'
import { openDispatch } from './dispatch/dispatch.ts'
import { isDispatchRegister } from './dispatch/registers.ts'
import type { DispatchStore } from './dispatch/store.ts'
import { openEnergyManager } from './energy/energy.ts'
import { readEnergy } from './energy/energy-view.ts'
import { createEvents } from './events/events.ts'
import { createLiveValues } from './events/live-values.ts'
import { createHealth } from './health/health.ts'
import { openHistory } from './history/history.ts'
import { createJournal, type JournalEntry } from './journal/journal.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createCachedReading, cachedReadingRoute } from './metrics/cached-reading.ts'
import { createMetricWrites } from './metrics/write-metric.ts'
import { openMqtt } from './mqtt/mqtt.ts'
import { InverterSearch } from './discovery/inverter-search.ts'
import { openSharedPort } from './shared-port/shared-port.ts'
import { openPlant } from './plant/plant.ts'
import { openPlans } from './plans/plans.ts'
import { eventClasses } from './notifications/event-classes.ts'
import { createInverterReports } from './notifications/inverter-reports.ts'
import { toError } from './problems.ts'
import { createExposition } from './prometheus/exposition.ts'
import { readBattery } from './plans/read-battery.ts'
import { createReadiness } from './readiness/readiness.ts'
import { openapiDocument } from './openapi.ts'
import { allRoutes } from './routes.ts'
import type { EnvironmentFacts } from './settings/schema.ts'
import { openSettings } from './settings/settings.ts'
import { openSnapshots } from './snapshots/snapshots.ts'
import { openTimeSeries } from './time-series/time-series.ts'
import { createSignInMethods } from './sign-in-methods/sign-in-methods.ts'
import { Tokens } from './tokens/tokens.ts'

/** Dependencies of the service. */
export interface AppDependencies {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly catalog: Catalog
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly backups: BackupControl
  /** True for a command while no service runs: nothing is sent to a device. */
  readonly isOffline: boolean
  readonly isOperator: (socket: Socket) => boolean
  /** Folder of the built web pages. */
  readonly pages: string
  /** Wraps the dispatch store, so that tests can observe writes or make them fail. */
  readonly wrapDispatchStore?: ((store: DispatchStore) => DispatchStore) | undefined
}

/** Collections of which MQTT publishes nothing. */
const unpublished = new Set([
  'mqtt',
  'shared-port',
  'energy-history',
  'time-series',
  'plans',
  'snapshots',
  'inverter-search',
])

/** Maximum size of a request body, bytes. */
const bodyLimit = 524_288

/**
 * Creates every part of the service and gives it what it needs. The server does not listen yet; devices are already
 * connected. A callback may use what is created further down: none is called before `start`.
 */
export async function createApp(dependencies: AppDependencies) {
  const { config, log, timers, catalog, database, sealer, isOffline, isOperator, pages, wrapDispatchStore } =
    dependencies
  let isStopping = false

  const events = createEvents(version)
  const releases = createReleaseCheck({ version, url: config.releasesUrl, timers })
  const settings = await openSettings(database, catalog)
  const isWriteAccessOn = () => settings.isWriteAccessOn()
  const notifications = new Notifications(database, {
    sealer,
    timers,
    log,
    allow: config.outboundAllow,
    service: 'Inverter',
    publicUrl: config.publicUrl,
    classes: eventClasses,
  })

  // Devices and their connections
  const journal = createJournal(database, timers)
  const simulator = createEmbeddedSimulator(config.dataDirectory, { catalog, timers })
  const exposition = createExposition({
    catalog,
    devices: () => connections.devices(),
    endpoints: () => connections.endpoints(),
    exposed: () => settings.current().scraper.metrics,
    notifications: () => notifications.figures(),
    backups: dependencies.backups,
    mqtt: () => mqtt.status(),
    timeSeries: () => timeSeries.status(),
    plant: () => plant.known(),
  })
  const connections = new DeviceConnections({
    catalog,
    timers,
    log,
    journal: recordWrite,
    simulated: () => simulator.endpoint(),
    onValue: (id, object) => live.note(id, object),
    onExchange: (id, seconds) => exposition.observeExchange(id, seconds),
    onIdentity: (id, identity) => checkIdentity(id, identity),
  })
  const readiness = createReadiness({
    devices: () => connections.devices(),
    dispatch: (id) => dispatch.readiness(id),
    nameOf: (objectId) => catalog.byId(objectId)?.name,
    isStopping: () => isStopping,
  })
  const conditionOf = (id: string) => {
    const runtime = connections.device(id)
    return runtime === undefined ? undefined : readiness.device(runtime)
  }
  const live = createLiveValues({
    catalog,
    timers,
    devices: () => connections.devices(),
    listeners: () => events.listeners(),
    intervalMs: () => settings.current().live_interval_seconds * 1000,
    readiness: (runtime) => readiness.device(runtime),
    publish: (event) => events.publish(event),
  })
  const devices = await openDevices(database, timers, {
    whileLeaving: (id, change) => dispatch.whileHandedBack(id, 'device_reconfigured', change),
    rebuild: async (list) => {
      if (!isOffline) await connections.rebuild(list)
    },
    afterLeaving: forgetDevice,
    guarded: (id, change) => dispatch.guarded(id, change),
    changed: onDevicesChanged,
  })

  // Permission to write, and what is done with it
  const approvals = await openApprovals({
    database,
    catalog,
    clock: timers,
    whileRevoking: (names, change) =>
      names.some(isDispatchRegister) ? dispatch.whileAllHandedBack('write_not_allowed', change) : change(),
  })
  const capabilities = new Capabilities({
    db: database.query,
    clock: timers,
    log,
    devices,
    guarded: (id, names, change) => dispatch.guarded(id, change, names),
    changed: () => events.publish({ type: 'changed', collection: 'capabilities' }),
  })
  const checkIdentity = createIdentityCheck(devices, capabilities, {
    log,
    onUpdate: (id) => snapshots.firmwareChanged(id),
    onChange: (id, identity) => snapshots.identityChanged(id, identity),
  })
  const dispatch = await openDispatch({
    db: database.query,
    timers,
    log,
    devices,
    gateways: (id) => connections.device(id),
    capabilities: (id) => capabilities.read(id),
    connection: { limitW: () => plans.gridLimitW(), meterOf: (id) => plant.gridMeterOf(id) },
    isApproved: approvals.isApproved,
    isWriteAccessOn,
    publish: ({ device_id }) => events.publish({ type: 'dispatch', device_id }),
    wrapStore: wrapDispatchStore,
  })
  const energy = await openEnergyManager({
    db: database.query,
    clock: timers,
    log,
    devices,
    dispatch,
    capabilities: (id) => dispatch.capabilitiesOf(id),
    readings: (id) => readEnergy(connections.device(id), catalog),
    connectionState: (id) => conditionOf(id)?.state ?? null,
    isApproved: approvals.isApproved,
    approve: (names) => approvals.approve(names),
    isAllowlisted: (name) => catalog.allowlist.has(name),
    isWriteAccessOn,
    publish: (event) => events.publish(event),
  })
  const health = createHealth({ catalog, device: (id) => connections.required(id), now: () => timers.now() })
  const inverterReports = createInverterReports({
    reports: notifications.reports,
    devices: () => devices.all(),
    conditionOf,
    isOffForNight: (id) => history.isOffForNight(id),
    health: (id) => health.read(id),
    isNeeded: () => notifications.isNeeded(),
    isStopping: () => isStopping,
  })
  dispatch.onEnded((ended) => inverterReports.dispatchEnded(ended))
  const writes = createMetricWrites({
    catalog,
    device: (id) => connections.required(id),
    isApproved: approvals.isApproved,
    isWriteAccessOn,
    checkWritable: (id, name) => dispatch.checkWritable(id, name),
    now: () => timers.now(),
  })
  const mqtt = await openMqtt({
    database,
    sealer,
    catalog,
    timers,
    log,
    origin: { version, publicUrl: config.publicUrl },
    devices: () => connections.devices(),
    findDevice: (id) => devices.find(id),
    conditionOf,
    plant: { inverters: () => plant.inverters(), now: () => plant.now() },
    isApproved: approvals.isApproved,
    isWriteAccessOn,
    writes,
    energy,
    reports: notifications.reports,
    changed: () => events.publish({ type: 'changed', collection: 'mqtt' }),
  })
  const sharedPort = await openSharedPort({
    database,
    catalog,
    timers,
    log,
    isDevice: (id) => devices.find(id) !== undefined,
    find: (id, networkId) => connections.besides(id, networkId),
    writes,
  })
  events.observe((event) => {
    const isOther = event.type === 'changed' && unpublished.has(event.collection)
    if (event.type !== 'values' && !isOther) mqtt.wake()
  })

  const timeSeries = await openTimeSeries({
    database,
    sealer,
    catalog,
    timers,
    log,
    dataDirectory: config.dataDirectory,
    allow: config.outboundAllow,
    devices: () => connections.devices(),
    reports: notifications.reports,
    changed: () => events.publish({ type: 'changed', collection: 'time-series' }),
  })
  const history = await openHistory({
    database,
    catalog,
    timers,
    log,
    plant: () => plant.inverters(),
    devices: () => connections.devices(),
    deviceIds: () => devices.all().map(({ id }) => id),
    capabilities: (id) => capabilities.read(id),
    changed: () => events.publish({ type: 'changed', collection: 'energy-history' }),
  })
  const snapshots = await openSnapshots({
    database,
    catalog,
    timers,
    log,
    reports: notifications.reports,
    devices: () => devices.all(),
    runtime: (id) => connections.device(id),
    changed: () => events.publish({ type: 'changed', collection: 'snapshots' }),
  })
  const checks = new CapabilityChecks({
    db: database.query,
    timers,
    log,
    catalog,
    device: (id) => devices.find(id),
    runtime: (id) => connections.device(id),
    writes,
    guarded: (id, work) => dispatch.guarded(id, work),
  })
  const search = new InverterSearch({
    catalog,
    timers,
    log,
    devices: () => devices.all(),
    networks: config.searchNetworks,
    connected: () => connections.connected(usualPort),
    sharedAt: () => sharedPort.boundTo(usualPort),
    isOffline,
    changed: () => events.publish({ type: 'changed', collection: 'inverter-search' }),
  })

  const plant = await openPlant({
    database,
    catalog,
    devices: () => devices.all(),
    runtime: (id) => connections.device(id),
    conditionOf,
    capabilities: (id) => capabilities.read(id),
    capacityOf: (id) => history.capacityOf(id),
    isOffForNight: (id) => history.isOffForNight(id),
    changed: onPlantChanged,
  })
  const plans = await openPlans({
    database,
    sealer,
    timers,
    log,
    dataDirectory: config.dataDirectory,
    allow: config.outboundAllow,
    devices: () => devices.all(),
    plant: () => plant.inverters(),
    isThere: (id) => plant.isThere(id),
    readBattery: (id) => readBattery(connections.device(id), catalog),
    history,
    dispatch,
    reports: notifications.reports,
    changed: () => events.publish({ type: 'changed', collection: 'plans' }),
  })

  // Callers
  const onAccessChanged = () => events.dropAll()
  const tokens = new Tokens(database, timers, onAccessChanged)
  const signInContext = {
    database,
    clock: timers,
    throttle: createThrottle(maxFailures, timers),
    exempt: createAddressSet(config.rateLimitExempt),
    onAccessChanged,
  }
  const sessions = new Sessions({ ...signInContext, dataDirectory: config.dataDirectory })
  const securityLog = new SecurityLog({
    query: database.query,
    clock: timers,
    log,
    retention: config.securityLog,
    findUser: (name) => Promise.resolve(findActor(name)),
    statusOf: (error) => toError(error, { instance: '', correlationId: '' }).status,
  })
  const openIdConnection = new OpenIdConnection({
    configured: config.openId,
    publicUrl: config.publicUrl,
    service: 'inverter',
    title: 'Hearth Inverter',
    query: database.query,
    clock: timers,
    log,
    sealer,
    securityLog,
    path: openIdPath,
    allow: config.outboundAllow,
  })
  const signInMethods = createSignInMethods({
    ...signInContext,
    log,
    sessions,
    securityLog,
    relyingParty: config.relyingParty,
    // The system may choose another port than the settings say.
    port: () => (http.server.address() as AddressInfo | null)?.port ?? config.bindPort,
  })
  const gate = new Gate({
    clock: timers,
    config,
    isWriteAccessOn,
    isStopping: () => isStopping,
    scraping: () => {
      const { token_required: tokenRequired, requests_per_minute: perMinute, sources } = settings.current().scraper
      return { tokenRequired, perMinute, sources: createAddressSet(sources) }
    },
    identifyToken: (token) => tokens.identify(token),
    identifySession: (key) => sessions.identify(key),
    isOperator,
    recentToken: (token) => tokens.recent(token),
  })

  // The server
  const trust = { proxies: createAddressSet(config.trustedProxies), header: config.forwardedHeader }
  const http = await createServer({
    routes: allRoutes({
      isStopping: () => isStopping,
      backups: dependencies.backups,
      document: openapiDocument,
      events,
      isStillValid,
      sessions,
      signInMethods,
      securityLog,
      openId: openIdConnection.source,
      openIdConnection,
      async endSessions(hashes) {
        const users = await endSessionsWith(database.query, 'username', hashes)
        if (users.length > 0) onAccessChanged()
      },
      isPublishedSecurely: config.publicUrl?.startsWith('https:') === true,
      tokens,
      settings,
      environment: () => environmentOf(config),
      setWriteAccess,
      approvals,
      devices,
      conditionOf,
      testConnection: (input) => connections.test(input),
      metrics: createMetrics({ catalog, approvals, device: (id) => connections.required(id) }),
      writes,
      readiness,
      dispatch,
      energy,
      capabilities,
      health,
      journal,
      diagnostics: createDiagnostics(connections, catalog, timers),
      exposition,
      layout: createLayoutStore(database),
      releases,
      neighbours: createNeighbours({ service: 'inverter', configured: config.hearthServices, clock: timers }),
      notifications,
      mqtt,
      sharedPort,
      timeSeries,
      history,
      plans,
      plant,
      snapshots,
      search,
      checks,
    }),
    about,
    guard: (guarded, spec) => gate.check(guarded, spec),
    toError: (error, { url, id }) => toError(error, { instance: url.replace(/\?.*/s, ''), correlationId: id }),
    onAnswered: (spec, status) => {
      if (spec !== undefined) exposition.countRequest(`${spec.method} ${spec.path}`, status)
    },
    trust,
    log,
    pages,
    shortcut: createCachedReading({
      device: (id) => connections.device(id),
      byName: (name) => catalog.byName(name),
      allow: (request) => gate.allowCached(request, clientAddress(request, trust)),
      onAnswered: () => exposition.countRequest(cachedReadingRoute, 200),
    }),
    apiPaths: ['/api', '/admin/api'],
    bodyLimit,
  })

  const reportChecks = isOffline
    ? undefined
    : startRepeatedCheck({ check: () => inverterReports.check(), everyMs: 15_000, timers, log })
  if (!isOffline) await start()
  return {
    http,
    devices,
    connections,
    journal,
    events,
    notifications,
    releases,
    async close(): Promise<void> {
      isStopping = true
      await reportChecks?.close()
      checks.close()
      // Before anything else goes: no command or write may come any more, and the broker hears that the service is offline.
      await Promise.all([
        mqtt.close(),
        sharedPort.close(),
        timeSeries.close(),
        history.close(),
        plans.close(),
        snapshots.close(),
        search.close(),
      ])
      // Web pages and API clients can still read while the settings of the devices are restored.
      if (!isOffline) await dispatch.close()
      events.close()
      await http.close()
      live.close()
      await connections.close()
      await simulator.close()
      await notifications.close()
    },
  }

  function onPlantChanged(): Promise<void> {
    history.plantChanged()
    events.publish({ type: 'changed', collection: 'plant' })
    return plans.devicesChanged()
  }

  function onDevicesChanged(): void {
    events.publish({ type: 'changed', collection: 'devices' })
    plans.devicesChanged().catch((error: unknown) => log.error({ err: error }, 'plans could not begin anew'))
  }

  /** Connects the devices and restores those that an earlier process left changed. */
  async function start(): Promise<void> {
    await notifications.start()
    if (config.isTrial && devices.all().length === 0) await devices.add(simulatedDevice, { isSimulated: true })
    else await connections.rebuild(devices.all())
    for (const { id, isSimulated } of devices.all()) if (isSimulated) await verifySimulated(id, capabilities)
    await mqtt.start()
    await sharedPort.start()
    await timeSeries.start()
    await history.start()
    await plans.start()
    await snapshots.start()
    await checks.start()
    // Not awaited: readiness reports the end, and a device that is off must not delay the start.
    void dispatch.recover().catch((error: unknown) => log.error({ err: error }, 'recovery failed'))
  }

  /**
   * Records a write. A failure is logged only: a full disk must not make a write fail, least of all one that restores a device.
   */
  async function recordWrite(entry: JournalEntry): Promise<void> {
    try {
      await journal.add(entry)
    } catch (error) {
      log.error({ err: error, device: entry.device_id, metric: entry.metric }, 'a write could not be noted')
    }
  }

  /** Deletes the data of a device that was removed or replaced by another inverter. */
  async function forgetDevice(id: string): Promise<void> {
    await capabilities.reset(id)
    await energy.reset(id)
    await dispatch.discard(id)
    await mqtt.forget(id)
    await sharedPort.forget(id)
    await history.forget(id)
    await plant.forget(id)
    await plans.forget(id)
    await snapshots.forget(id)
    await checks.forget(id)
  }

  async function setWriteAccess(enabled: boolean): Promise<void> {
    const change = () => settings.setWriteAccess(enabled)
    await (enabled ? change() : dispatch.whileAllHandedBack('write_not_allowed', change))
  }

  async function isStillValid({ via }: Caller): Promise<boolean> {
    if (via.kind === 'operator') return true
    return via.kind === 'token' ? tokens.isUsable(via.id) : (await sessions.identify(via.key)) !== undefined
  }
}

function environmentOf(config: Config): EnvironmentFacts {
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
