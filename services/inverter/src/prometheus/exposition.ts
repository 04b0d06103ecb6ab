import type { BackupControl } from '@hearth/service'
import { Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client'
import type { NotificationFigures } from '@hearth/notifications'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { Endpoint } from '../devices/device-connections.ts'
import type { LinkStatus } from '../link/link.ts'
import { labelOf, textOf } from '../metrics/value.ts'
import type { PlantNow } from '../plant/schema.ts'
import type { MqttStatus } from '../mqtt/schema.ts'
import { backupMetrics } from './backup-metrics.ts'
import type { TimeSeriesStatus } from '../time-series/schema.ts'
import { addMqttMetrics } from './mqtt-metrics.ts'
import { plantMetrics } from './plant-metrics.ts'
import { addTimeSeriesMetrics } from './time-series-metrics.ts'

/** The Prometheus exposition. It never queries a device. */
export type Exposition = ReturnType<typeof createExposition>

interface ExpositionDependencies {
  readonly catalog: Catalog
  readonly devices: () => readonly DeviceRuntime[]
  readonly endpoints: () => readonly Endpoint[]
  /** Metric names whose values are shown, in this order. */
  readonly exposed: () => readonly string[]
  readonly notifications: () => Promise<NotificationFigures>
  readonly backups: Pick<BackupControl, 'status'>
  readonly mqtt: () => MqttStatus
  readonly timeSeries: () => TimeSeriesStatus
  /** What is known of the plant without a request; undefined while there is none. */
  readonly plant: () => Promise<PlantNow | undefined>
}

const prefix = 'vendor_'

const unitSuffixes: Readonly<Record<string, string>> = {
  V: 'volts',
  W: 'watts',
  A: 'amperes',
  Wh: 'watthours',
  VA: 'voltamperes',
  var: 'var',
  Hz: 'hertz',
  Ah: 'amperehours',
  Ohm: 'ohms',
  s: 'seconds',
  d: 'days',
  '°C': 'celsius',
  '%': 'percent',
  ratio: 'ratio',
}

/** Creates the metrics with their own registry; device and connection values are looked up at each scrape. */
export function createExposition(dependencies: ExpositionDependencies) {
  const { devices, endpoints } = dependencies
  const statuses = () => endpoints().map(({ id, link }) => Object.assign({ id }, link.status()))
  const registry = new Registry()
  const requests = new Map<string, number>()
  addRequestCounter(registry, requests)
  const durations = new Histogram({
    name: `${prefix}device_request_duration_seconds`,
    help: 'Time from sending a request to its answer',
    labelNames: ['device'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  addNotifications(registry, dependencies.notifications)
  addMqttMetrics(registry, dependencies.mqtt)
  addTimeSeriesMetrics(registry, dependencies.timeSeries)
  addLookedUp(registry, deviceMetrics, { label: 'device', subjects: devices, nameOf: ({ deviceId }) => deviceId })
  addLookedUp(registry, transportMetrics, { label: 'endpoint', subjects: statuses, nameOf: ({ id }) => id })
  return {
    /** Returns the text of one scrape, media type `text/plain; version=0.0.4`. */
    async text(): Promise<string> {
      const values = await valueMetrics(dependencies).metrics()
      const backups = await backupMetrics(await dependencies.backups.status()).metrics()
      const plant = await plantMetrics(await dependencies.plant()).metrics()
      return `${await registry.metrics()}${values}${plant}${backups}`
    },
    countRequest(route: string, status: number): void {
      const key = `${status} ${route}`
      requests.set(key, (requests.get(key) ?? 0) + 1)
    },
    /** Records the duration of one exchange with a device, seconds. */
    observeExchange: (deviceId: string, seconds: number): void => durations.observe({ device: deviceId }, seconds),
  }
}

/** Adds the counts of notifications. */
function addNotifications(registry: Registry, read: () => Promise<NotificationFigures>): Metric[] {
  const attempts = new Counter({
    name: `${prefix}notification_attempts_total`,
    help: 'Attempts to send a notification since the start, by kind of destination and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
    async collect() {
      const { attempts } = await read()
      this.reset()
      for (const [labels, count] of attempts) this.inc(labels, count)
    },
  })
  const gauge = (name: string, help: string, valueOf: (figures: NotificationFigures) => number) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      registers: [registry],
      async collect() {
        this.set(valueOf(await read()))
      },
    })
  return [
    attempts,
    gauge('notifications_waiting', 'Notifications that are not sent yet', ({ waiting }) => waiting),
    gauge('notifications_failed', 'Notifications that were given up and not dismissed', ({ dead }) => dead),
  ]
}

/** Adds the request counter. It is counted outside the registry, which is too slow for every request. */
function addRequestCounter(registry: Registry, counts: ReadonlyMap<string, number>): Metric {
  return new Counter({
    name: `${prefix}api_requests_total`,
    help: 'Answered requests of the API',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [key, count] of counts) this.inc({ status: key.slice(0, 3), route: key.slice(4) }, count)
    },
  })
}

/** A metric whose value is looked up when it is scraped; `undefined` leaves the series out. */
interface LookedUp<Subject> {
  help: string
  isCounter?: true
  value: (subject: Subject) => number | undefined
}

const deviceMetrics: Readonly<Record<string, LookedUp<DeviceRuntime>>> = {
  device_errors_total: { help: 'Exchanges that failed', isCounter: true, value: (d) => d.liveness.status().failures },
  device_last_success_timestamp_seconds: {
    help: 'Time of the last value from the device',
    value({ liveness }) {
      const { lastSuccessAt } = liveness.status()
      return lastSuccessAt === null ? undefined : lastSuccessAt / 1000
    },
  },
  device_periodic_registrations: {
    help: 'Metrics the device sends by itself',
    value: (d) => d.periodic?.status().registrations ?? 0,
  },
  api_cache_hits_total: {
    help: 'Readings answered from the cache',
    isCounter: true,
    value: (d) => d.reader.counts.hits,
  },
  api_cache_misses_total: {
    help: 'Readings that queried the device',
    isCounter: true,
    value: (d) => d.reader.counts.misses,
  },
}

const transportMetrics: Readonly<Record<string, LookedUp<LinkStatus & { id: string }>>> = {
  transport_crc_errors_total: { help: 'Frames with a wrong checksum', isCounter: true, value: (s) => s.crcErrors },
  transport_framing_errors_total: {
    help: 'Frames that broke off or were escaped wrongly',
    isCounter: true,
    value: (s) => s.framingErrors,
  },
  transport_bytes_discarded_total: { help: 'Bytes outside frames', isCounter: true, value: (s) => s.discardedBytes },
  transport_unexpected_frames_total: { help: 'Unsolicited frames', isCounter: true, value: (s) => s.unexpectedFrames },
  transport_foreign_access_suspected: {
    help: '1 when another client seems to use the port',
    value: (s) => (s.foreignAccessSuspected ? 1 : 0),
  },
  transport_queue_length: { help: 'Waiting requests', value: (s) => s.queueLength },
}

function addLookedUp<Subject>(
  registry: Registry,
  metrics: Readonly<Record<string, LookedUp<Subject>>>,
  about: { label: string; subjects: () => readonly Subject[]; nameOf: (subject: Subject) => string },
): Metric[] {
  const { label, subjects, nameOf } = about
  return Object.entries(metrics).map(([name, { help, isCounter, value }]) => {
    const Kind = isCounter ? Counter : Gauge
    return new Kind({
      name: `${prefix}${name}`,
      help,
      labelNames: [label],
      registers: [registry],
      collect(this: Gauge | Counter) {
        this.reset()
        for (const subject of subjects()) {
          const current = value(subject)
          if (current !== undefined) this.inc({ [label]: nameOf(subject) }, current)
        }
      },
    })
  })
}

/**
 * Creates metrics of the chosen values that are in the cache, anew for each scrape: an expired value is absent, not zero.
 */
function valueMetrics({ catalog, devices, exposed }: ExpositionDependencies): Registry {
  const registry = new Registry()
  for (const object of exposed().map((name) => catalog.byName(name))) {
    if (object === undefined || object.valueType === 'string') continue
    const isEnum = object.valueType === 'enum'
    const gauge = new Gauge({
      name: nameOf(object, catalog),
      help: object.vendorName,
      labelNames: isEnum ? ['device', 'state'] : ['device'],
      registers: [registry],
    })
    for (const device of devices()) showValue(gauge, object, device)
  }
  return registry
}

function showValue(gauge: Gauge, object: CatalogObject, { deviceId, reader }: DeviceRuntime): void {
  const cached = reader.cache.get(object.name)
  if (cached === undefined || !reader.cache.isUsable(object.name, cached)) return
  if (object.valueType === 'enum') {
    const current = labelOf(object, cached.value) ?? textOf(cached.value)
    for (const state of new Set([...(object.enumLabels?.values() ?? []), current]))
      gauge.set({ device: deviceId, state }, state === current ? 1 : 0)
  } else gauge.set({ device: deviceId }, Number(cached.value))
}

function nameOf(object: CatalogObject, { roles }: Catalog): string {
  const special = roles.prometheusNames[object.name]
  if (special !== undefined) return `${prefix}${special}`
  const suffix = object.unit === null ? undefined : unitSuffixes[object.unit]
  return `${prefix}${object.name}${suffix === undefined ? '' : `_${suffix}`}`
}
