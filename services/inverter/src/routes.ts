import type { OpenIdConnection } from '@hearth/accounts/openid-connection'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { securityLogRoutes } from '@hearth/accounts/security-log-routes'
import type { MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import { documentRoutes, type Route } from '@hearth/http'
import { notificationRoutes, type Notifications } from '@hearth/notifications'
import {
  backupRoutes,
  neighbourRoute,
  type BackupControl,
  type ListNeighbours,
  type ReleaseCheck,
} from '@hearth/service'
import type { Access, Caller, Limit } from './access.ts'
import { openIdSignInRoutes, type OpenIdSignInDependencies } from './accounts/openid.ts'
import { sessionListRoutes, sessionRoutes } from './accounts/routes.ts'
import type { Sessions } from './accounts/sessions.ts'
import type { Approvals } from './approvals/approvals.ts'
import { approvalRoutes } from './approvals/routes.ts'
import type { LayoutStore } from './dashboard/layout.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { CapabilityChecks } from './capability-checks/capability-checks.ts'
import { capabilityCheckRoutes } from './capability-checks/routes.ts'
import type { Capabilities } from './capabilities/capabilities.ts'
import { capabilityRoutes } from './capabilities/routes.ts'
import type { DeviceCondition } from './devices/device.ts'
import type { Devices } from './devices/devices.ts'
import { deviceRoutes } from './devices/routes.ts'
import type { ConnectionResult, ConnectionTest } from './devices/schema.ts'
import type { Diagnostics } from './diagnostics/diagnostics.ts'
import { diagnosticsRoutes } from './diagnostics/routes.ts'
import type { DispatchService } from './dispatch/dispatch.ts'
import type { InverterSearch } from './discovery/inverter-search.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { dispatchRoutes } from './dispatch/routes.ts'
import type { EnergyManager } from './energy/energy.ts'
import { energyRoutes } from './energy/routes.ts'
import type { Events } from './events/events.ts'
import { eventRoutes } from './events/routes.ts'
import type { GatewayEvent } from './events/schema.ts'
import type { Health } from './health/health.ts'
import { healthRoutes } from './health/routes.ts'
import type { History } from './history/history.ts'
import { historyRoutes } from './history/routes.ts'
import type { Journal } from './journal/journal.ts'
import { journalRoutes } from './journal/routes.ts'
import type { Metrics } from './metrics/metrics.ts'
import { metricRoutes } from './metrics/routes.ts'
import type { MetricWrites } from './metrics/write-metric.ts'
import type { Mqtt } from './mqtt/mqtt.ts'
import { mqttRoutes } from './mqtt/routes.ts'
import { sharedPortRoutes } from './shared-port/routes.ts'
import type { SharedPort } from './shared-port/shared-port.ts'
import { Problem, unknownDevice } from './problems.ts'
import type { Exposition } from './prometheus/exposition.ts'
import { prometheusRoutes } from './prometheus/routes.ts'
import type { ReadinessReport } from './readiness/readiness.ts'
import type { Plant } from './plant/plant.ts'
import { plantRoutes } from './plant/routes.ts'
import type { Plans } from './plans/plans.ts'
import { planRoutes } from './plans/routes.ts'
import { readinessRoutes } from './readiness/routes.ts'
import { releaseRoutes } from './releases/routes.ts'
import { portalConnectionRoutes } from './sign-in-methods/openid-connection.ts'
import { ownMethodRoutes } from './sign-in-methods/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { snapshotRoutes } from './snapshots/routes.ts'
import type { Snapshots } from './snapshots/snapshots.ts'
import type { EnvironmentFacts } from './settings/schema.ts'
import type { SettingsStore } from './settings/settings.ts'
import { timeSeriesRoutes } from './time-series/routes.ts'
import type { TimeSeries } from './time-series/time-series.ts'
import type { Tokens } from './tokens/tokens.ts'
import { tokenRoutes } from './tokens/routes.ts'

/** Everything the endpoints call. */
export interface Features {
  readonly isStopping: () => boolean
  readonly document: () => Promise<Record<string, unknown>>
  readonly events: Events
  readonly isStillValid: (caller: Caller) => Promise<boolean>
  readonly sessions: Sessions
  readonly signInMethods: SignInMethods<MethodUser>
  readonly securityLog: SecurityLog
  /** True if browsers reach the service at an https address, so that the session cookie is sent nowhere else. */
  readonly isPublishedSecurely: boolean
  readonly openId: OpenIdSignInDependencies['openId']
  readonly openIdConnection: OpenIdConnection
  /** Ends the sessions with these hashes of their keys. */
  readonly endSessions: (hashes: readonly string[]) => Promise<void>
  readonly tokens: Tokens
  readonly settings: SettingsStore
  readonly environment: () => EnvironmentFacts
  /** Hands back what is active before write access goes. */
  readonly setWriteAccess: (enabled: boolean) => Promise<void>
  readonly approvals: Approvals
  readonly devices: Devices
  readonly conditionOf: (deviceId: string) => DeviceCondition | undefined
  readonly testConnection: (input: ConnectionTest) => Promise<ConnectionResult>
  readonly metrics: Metrics
  readonly writes: MetricWrites
  readonly readiness: ReadinessReport
  readonly dispatch: DispatchService
  readonly energy: EnergyManager
  readonly capabilities: Capabilities
  readonly health: Health
  readonly journal: Journal
  readonly diagnostics: Diagnostics
  readonly exposition: Exposition
  readonly layout: LayoutStore
  readonly releases: ReleaseCheck
  readonly neighbours: ListNeighbours
  readonly notifications: Notifications
  readonly mqtt: Mqtt
  readonly sharedPort: SharedPort
  readonly timeSeries: TimeSeries
  readonly history: History
  readonly plans: Plans
  readonly plant: Plant
  readonly snapshots: Snapshots
  readonly search: InverterSearch
  readonly checks: CapabilityChecks
  readonly backups: BackupControl
}

/** The description of the API, while it is public. */
const published = {
  title: 'Hearth Inverter',
  tag: 'General',
  access: 'docs' satisfies Access,
  limit: 'counted',
  errors: [404],
  listsPages: false,
} as const

const counted: Limit = 'counted'

/** The routes of the scheduled backups. */
const backupForm = {
  path: '/admin/api/backups',
  tag: 'Administration',
  access: 'admin' satisfies Access,
  limits: { read: counted, run: counted },
  refuse: (detail: string) => new Problem('conflict', detail),
}

/** The routes of the security log. */
const securityLogMount = {
  path: '/admin/api/security-log',
  tag: 'Administration',
  access: 'admin' satisfies Access,
  limits: { read: counted, export: counted },
}

/** The route of the other services. */
const neighbourForm = {
  path: '/admin/api/neighbours',
  tag: 'Administration',
  access: 'admin' satisfies Access,
  limit: counted,
}

/** Every endpoint of the service. */
export function allRoutes(features: Features): Route[] {
  const { events, devices, environment, setWriteAccess, securityLog } = features
  const changed = (collection: Extract<GatewayEvent, { type: 'changed' }>['collection']) => () =>
    events.publish({ type: 'changed', collection })
  const checkDevice = (id: string) => {
    if (devices.find(id) === undefined) throw unknownDevice(id)
  }
  return [
    ...readinessRoutes(features.readiness, features.isStopping),
    ...prometheusRoutes(features.exposition),
    ...documentRoutes({ ...published, document: features.document }),
    ...metricRoutes(features.metrics, features.writes),
    ...deviceRoutes(devices, { conditionOf: features.conditionOf, test: features.testConnection }),
    ...dispatchRoutes(features.dispatch),
    ...energyRoutes(features.energy),
    ...capabilityRoutes(features.capabilities),
    ...capabilityCheckRoutes(features.checks),
    ...journalRoutes(features.journal, checkDevice),
    ...healthRoutes(features.health),
    ...historyRoutes(features.history),
    ...planRoutes(features.plans),
    ...plantRoutes(features.plant),
    ...snapshotRoutes(features.snapshots),
    ...discoveryRoutes(features.search, securityLog),
    ...eventRoutes(events, features.isStillValid),
    ...diagnosticsRoutes(features.diagnostics),
    ...sessionRoutes(features.sessions, { isPublishedSecurely: features.isPublishedSecurely, securityLog }),
    ...ownMethodRoutes(features.signInMethods, features.sessions, {
      isPublishedSecurely: features.isPublishedSecurely,
      securityLog,
    }),
    ...sessionListRoutes(features.sessions, securityLog),
    ...openIdSignInRoutes(features),
    ...portalConnectionRoutes(features),
    ...securityLogRoutes(securityLog, securityLogMount),
    ...tokenRoutes(features.tokens, changed('tokens'), securityLog),
    ...approvalRoutes(features.approvals, changed('parameters'), securityLog),
    ...settingsRoutes(features.settings, {
      environment,
      setWriteAccess,
      changed: changed('settings'),
      securityLog,
    }),
    ...mqttRoutes(features.mqtt, changed('mqtt'), securityLog),
    ...sharedPortRoutes(features.sharedPort, changed('shared-port'), securityLog),
    ...timeSeriesRoutes(features.timeSeries, changed('time-series')),
    ...backupRoutes(features.backups, backupForm),
    ...dashboardRoutes(features.layout),
    ...releaseRoutes(features.releases),
    neighbourRoute(features.neighbours, neighbourForm),
    ...notificationRoutes<Access, Limit>(features.notifications, {
      prefix: '/admin/api/notifications',
      tag: 'Administration',
      access: 'admin',
      limits: { read: 'counted', write: 'counted', test: 'counted' },
    }),
  ]
}
