import { hostname, networkInterfaces } from 'node:os'
import { createDomainIndex, type DomainIndex, type DomainOwner } from './domain-index.ts'
import { misleadingPlaces, placesOfSite } from './real-places.ts'
import type { RuleContext } from './rule-context.ts'
import { checkSite, type RuleOutcome } from './rules.ts'
import type { WantedSite } from './site-change.ts'

/** Which domains and names are whose. */
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

/** The same surroundings, in which the sites are as they are now: for checking many sites at once. */
export function frozenSurroundings(around: RuleSurroundings): RuleSurroundings {
  let directory: Promise<SiteDirectory> | undefined
  return { ...around, directory: () => (directory ??= around.directory()) }
}

/** Dependencies of `createCheckWanted`. */
export interface RuleSurroundings {
  /** Which domains and names are whose. */
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

/** Says what is wrong or doubtful with a site that is to be stored. */
export type CheckWanted = (wanted: WantedSite, id: number | undefined) => Promise<RuleOutcome>

export function createCheckWanted(around: RuleSurroundings): CheckWanted {
  return async (wanted, id) => {
    const context = await ruleContextOf(around, wanted, id)
    const outcome = checkSite(wanted.record, context)
    const outside = await misleadingPlaces(placesOfSite(wanted.record), context)
    return { ...outcome, errors: [...outcome.errors, ...outside] }
  }
}

/** Reads the current context that the rules check a site against. */
export async function ruleContextOf(
  around: RuleSurroundings,
  { extras, hasNewDirectives = false }: Pick<WantedSite, 'extras' | 'hasNewDirectives'>,
  id: number | undefined,
): Promise<RuleContext> {
  const { domains, siteOfName } = await around.directory()
  const [certificates, authorities] = await Promise.all([around.certificateIds(), around.authorityIds()])
  return {
    siteId: id,
    domains,
    siteOfName,
    storedUsers: Object.keys(extras.hashes),
    protectedAddresses: await around.protectedAddresses(),
    protectedHosts: around.protectedHosts(),
    localHosts: localNames(),
    listenPorts: await around.listenPorts(),
    staticBases: around.staticBases,
    socketDirectories: around.socketDirectories,
    hasOnDemandAsk: around.hasOnDemandAsk(),
    allowsRaw: around.allowsRaw(),
    hasNewDirectives,
    hasCertificate: (number) => certificates.has(number),
    hasAuthority: (number) => authorities.has(number),
  }
}

function localNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => address)]
}
