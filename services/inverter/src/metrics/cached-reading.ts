import type { IncomingMessage } from 'node:http'
import type { QuickAnswer, Shortcut } from '@hearth/http'
import type { CatalogObject } from '../catalog/catalog.ts'
import { metricValueOf, type DeviceReader } from './device-reader.ts'
import type { CachedValue, MetricCache } from './metric-cache.ts'

interface CachedReadingDependencies {
  readonly device: (id: string) => { readonly reader: DeviceReader } | undefined
  readonly byName: (name: string) => CatalogObject | undefined
  /** Headers for a caller who may read, or undefined when that is not known without waiting. */
  readonly allow: (request: IncomingMessage) => readonly string[] | undefined
  readonly onAnswered: () => void
}

/** The route whose answers this gives, as it is counted. */
export const cachedReadingRoute = 'GET /api/v1/devices/{device_id}/metrics/{metric_name}'

/** A path that needs no decoding and has no parameters. */
const path = /^\/api\/v1\/devices\/([\w.-]+)\/metrics\/(\w+)$/

/**
 * Answers the reading of one metric that stands fresh in the cache, which dashboards and automations request all day.
 * Everything else, refusals included, is left to the route.
 */
export function createCachedReading({ device, byName, allow, onAnswered }: CachedReadingDependencies): Shortcut {
  return (request): QuickAnswer | undefined => {
    if (request.method !== 'GET') return undefined
    const match = path.exec(request.url ?? '')
    const reader = match === null ? undefined : device(match[1] ?? '')?.reader
    const object = byName(match?.[2] ?? '')
    const cached = object === undefined ? undefined : reader?.cache.get(object.name)
    if (reader === undefined || object === undefined || cached === undefined) return undefined
    if (!reader.cache.isFresh(object.name, cached)) return undefined
    const headers = allow(request)
    if (headers === undefined) return undefined
    reader.counts.hits += 1
    onAnswered()
    return { headers, body: bodyOf(object, cached, reader) }
  }
}

/** Text of an answer before and after its age: it stays the same while the value does. */
const written = new WeakMap<CachedValue, readonly [string, string]>()

const ageMember = '"age_seconds":'

function bodyOf(object: CatalogObject, cached: CachedValue, { cache }: DeviceReader): string {
  const [before, after] = written.get(cached) ?? write(object, cached, cache)
  return `${before}${Math.round(cache.age(cached)) / 1000}${after}`
}

function write(object: CatalogObject, cached: CachedValue, cache: MetricCache): readonly [string, string] {
  const reading = { object, cached, source: 'cache', staleReason: null } as const
  const text = JSON.stringify(metricValueOf(reading, cache, false))
  // The last match: a text of the inverter could contain the same characters, but comes before it.
  const age = text.lastIndexOf(ageMember) + ageMember.length
  const texts = [text.slice(0, age), text.slice(text.indexOf(',', age))] as const
  written.set(cached, texts)
  return texts
}
