import type { Timers } from '@hearth/runtime'
import { AdaptFailed, type Adapt, type AdaptWarning } from '../../sites/raw/adapt.ts'
import { writtenSites, type WrittenSite } from './caddyfile-blocks.ts'
import { caddyfileDangers } from './caddyfile-dangers.ts'
import { readConfig, type ImportReading } from '../config/read-config.ts'
import type { ReadOptions } from '../config/site-reading.ts'
import type { ReportItem } from '../schema.ts'

/** Dependencies of reading a Caddyfile. */
export interface CaddyfileDependencies {
  readonly adapt: Adapt
  readonly timers: Timers
  /** Milliseconds Caddy may take; 60,000 if not given. */
  readonly limitMs?: number
  /** True when sites that cannot be taken over whole become sites of kind raw. */
  readonly isRawWanted?: boolean
  /** Options of reading a configuration of that Caddy. */
  readonly options?: ReadOptions
}

/** Longest Caddyfile that is read, bytes. */
export const maxCaddyfile = 524_288

/**
 * Reads sites from the text of a Caddyfile. Texts that would make Caddy read files or the environment of its server are not given
 * to it: each such location is in the report, and no site is read. Caddy's own errors and warnings are in the report with their
 * lines. Never rejects but when `adapt` breaks off without an answer of Caddy's.
 */
export async function readCaddyfile(original: string, dependencies: CaddyfileDependencies): Promise<ImportReading> {
  const text = original.replace(/^\ufeff/, '').replaceAll('\r', '')
  if (Buffer.byteLength(text) > maxCaddyfile)
    return refused([{ path: '/', what: 'the whole: it is longer than 512 KiB' }])
  const dangers = caddyfileDangers(text)
  if (dangers.length > 0) return refused(dangers.map(({ line, what }) => ({ path: `line ${line}`, what })))
  const adapted = await adaptInTime(text, dependencies)
  if ('error' in adapted) return refused([{ path: lineOf(adapted.error), what: adapted.error.slice(0, 1000) }])
  const sites = writtenSites(text)
  const rawOf = dependencies.isRawWanted ? (host: string) => sites.get(host)?.directives : undefined
  const reading = readConfig(adapted.config, { ...dependencies.options, ...(rawOf && { rawOf }) })
  const warnings = adapted.warnings.flatMap(warningItem)
  return { ...reading, report: [...warnings, ...reading.report.map((item) => withLine(item, sites))] }
}

type Adapted = Awaited<ReturnType<Adapt>> | { readonly error: string }

async function adaptInTime(text: string, { adapt, timers, limitMs = 60_000 }: CaddyfileDependencies): Promise<Adapted> {
  const stop = new AbortController()
  const late = timers.delay(limitMs, stop.signal).then(
    () => ({ error: `Caddy did not read the text within ${limitMs / 1000} s` }),
    () => ({ error: 'stopped' }),
  )
  try {
    return await Promise.race([adapt(text), late])
  } catch (error) {
    if (error instanceof AdaptFailed) return { error: error.message }
    throw error
  } finally {
    stop.abort()
  }
}

/** Returns the location that an error of Caddy names. */
function lineOf(error: string): string {
  const line = /Caddyfile:(\d+)/.exec(error)?.[1] ?? /\bline (\d+)/.exec(error)?.[1]
  return line === undefined ? '/' : `line ${line}`
}

function warningItem(warning: string | AdaptWarning): ReportItem[] {
  const { message, line }: AdaptWarning = typeof warning === 'string' ? { message: warning } : warning
  // Warnings about formatting are ignored.
  if (/not formatted/.test(message)) return []
  const path = line === undefined ? lineOf(message) : `line ${line}`
  return [{ path, what: `Caddy says: ${message.slice(0, 500)}`, outcome: 'changed', site: null }]
}

function withLine(item: ReportItem, sites: ReadonlyMap<string, WrittenSite>): ReportItem {
  const site = item.site === null ? undefined : sites.get(item.site)
  return site === undefined ? item : { ...item, path: `line ${site.line}` }
}

function refused(items: readonly Pick<ReportItem, 'path' | 'what'>[]): ImportReading {
  return { sites: [], report: items.map(({ path, what }) => ({ path, what, outcome: 'left_out', site: null })) }
}
