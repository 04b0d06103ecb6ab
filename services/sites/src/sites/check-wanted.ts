import { hostname, networkInterfaces } from 'node:os'
import { invalidField, invalidSite, unavailable } from '../problems.ts'
import { createDomainIndex, type DomainIndex, type DomainOwner } from './domains.ts'
import { type Adapt, AdaptFailed } from './raw/adapt.ts'
import { readRawRoutes, wrapRawDirectives } from './raw/raw-routes.ts'
import { misleadingPaths, pathsOfRoutes, pathsOfSite } from './rules/real-paths.ts'
import type { RuleContext } from './rules/rule-context.ts'
import { checkSite, rawLimitsOf, type RuleOutcome } from './rules/rules.ts'
import type { WantedSite } from './site-change.ts'

/** Owners of domains and names. */
export interface SiteDirectory {
  readonly domains: DomainIndex
  readonly siteOfName: (name: string) => number | undefined
}

/** Reads the sites once. */
export function createSiteDirectory(
  sites: readonly (DomainOwner & { readonly domains: readonly string[] })[],
): SiteDirectory {
  const byName = new Map(sites.map((site) => [site.site_name.toLowerCase(), site.id]))
  return { domains: createDomainIndex(sites), siteOfName: (name) => byName.get(name.toLowerCase()) }
}

/** Returns a source that reads the directory of sites once: for checking many sites at once. */
export function withFixedDirectory(source: RuleContextSource): RuleContextSource {
  let directory: Promise<SiteDirectory> | undefined
  return { ...source, directory: () => (directory ??= source.directory()) }
}

/** Reads what the rules check a site against. */
export interface RuleContextSource {
  /** Owners of domains and names. */
  readonly directory: () => Promise<SiteDirectory>
  readonly protectedAddresses: () => Promise<readonly string[]>
  readonly protectedHosts: () => readonly string[]
  readonly listenPorts: () => Promise<readonly number[]>
  readonly staticBases: readonly string[]
  readonly socketDirectories: readonly string[]
  readonly hasOnDemandAsk: () => boolean
  readonly allowsRaw: () => boolean
  readonly certificateIds: () => Promise<ReadonlySet<number>>
  readonly authorityIds: () => Promise<ReadonlySet<number>>
}

/** Checks a site that is to be stored, and returns its errors and warnings. */
export type CheckWanted = (wanted: WantedSite, id: number | undefined) => Promise<RuleOutcome>

/** Creates the check, which returns errors and warnings and does not throw for them. It reads the source anew each time. */
export function createCheckWanted(source: RuleContextSource): CheckWanted {
  return async (wanted, id) => {
    const context = await ruleContextOf(source, wanted, id)
    const outcome = checkSite(wanted.record, context)
    const outside = await misleadingPaths(pathsOfSite(wanted.record), context)
    return { ...outcome, errors: [...outcome.errors, ...outside] }
  }
}

/** Reads the current context that the rules check a site against. */
export async function ruleContextOf(
  source: RuleContextSource,
  { extras, hasNewDirectives = false }: Pick<WantedSite, 'extras' | 'hasNewDirectives'>,
  id: number | undefined,
): Promise<RuleContext> {
  const { domains, siteOfName } = await source.directory()
  const [certificates, authorities] = await Promise.all([source.certificateIds(), source.authorityIds()])
  return {
    siteId: id,
    domains,
    siteOfName,
    storedUsers: Object.keys(extras.hashes),
    protectedAddresses: await source.protectedAddresses(),
    protectedHosts: source.protectedHosts(),
    localHosts: localNames(),
    listenPorts: await source.listenPorts(),
    staticBases: source.staticBases,
    socketDirectories: source.socketDirectories,
    hasOnDemandAsk: source.hasOnDemandAsk(),
    allowsRaw: source.allowsRaw(),
    hasNewDirectives,
    hasCertificate: (number) => certificates.has(number),
    hasAuthority: (number) => authorities.has(number),
  }
}

function localNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => address)]
}

/** Converts a site to the form that is stored. Throws a problem that lists all its errors. */
export type SettleWanted = (wanted: WantedSite, id: number | undefined) => Promise<WantedSite>

interface SettleDependencies {
  readonly source: RuleContextSource
  /** Returns how directives are adapted; undefined while there is no Caddy. */
  readonly adapter: () => Promise<Adapt | undefined>
}

/** Creates the conversion. Raw directives are adapted by a Caddy; without one the site is refused with 503. */
export function createSettleWanted({ source, adapter }: SettleDependencies): SettleWanted {
  const check = createCheckWanted(source)
  return async (wanted, id) => {
    const { errors } = await check(wanted, id)
    if (errors.length > 0) throw invalidSite(errors)
    const { rawRoutes: _, ...extras } = wanted.extras
    const { kind, raw_directives: text } = wanted.record
    if (kind !== 'raw' || text === null) return { ...wanted, extras }
    const adapt = await adapter()
    if (adapt === undefined) throw unavailable('raw_directives: no Caddy is there that understands them')
    const context = await ruleContextOf(source, wanted, id)
    const rawRoutes = await adaptRaw(adapt, text, rawLimitsOf(context))
    const misleading = await misleadingPaths(pathsOfRoutes(rawRoutes.slice(1)), context)
    if (misleading.length > 0) throw invalidSite(misleading)
    return { ...wanted, extras: { ...extras, rawRoutes } }
  }
}

async function adaptRaw(adapt: Adapt, text: string, limits: ReturnType<typeof rawLimitsOf>): Promise<object[]> {
  const adapted = await adapt(wrapRawDirectives(text)).catch((error: unknown) => {
    if (error instanceof AdaptFailed) throw invalidField('raw_directives', error.message)
    throw unavailable(`raw_directives: ${(error as Error).message}`, { code: 'admin_unreachable' })
  })
  const reading = readRawRoutes(adapted.config, limits)
  if ('routes' in reading) return reading.routes
  throw invalidSite(reading.problems.map((message) => ({ field: 'raw_directives', message })))
}
