import { isDeepStrictEqual } from 'node:util'
import type { SiteCreate } from '../sites/schema.ts'
import { changedSite, type WantedSite } from '../sites/site-change.ts'

/** A site that is stored. */
export interface StoredSite {
  readonly id: number
  readonly wanted: WantedSite
}

/** What is to be done with one site. */
export type PlannedSite =
  | { readonly kind: 'create'; readonly name: string; readonly wanted: WantedSite }
  | {
      readonly kind: 'change'
      readonly name: string
      readonly id: number
      readonly wanted: WantedSite
      readonly members: readonly string[]
    }
  | { readonly kind: 'delete'; readonly name: string; readonly id: number }

/** A plan; the sites that the file does not have and that stay; and all that stay as they are. */
export interface SitePlan {
  readonly changes: readonly PlannedSite[]
  readonly unlisted: readonly StoredSite[]
  readonly staying: readonly StoredSite[]
}

/**
 * Compares the sites of a file with those that are stored, by their names; a site under a new name is known by its domains. With
 * `prune` those that the file does not have are deleted.
 * Passwords of basic authentication that the file does not have stay; one that it has is new each time.
 */
export async function planSites(
  file: readonly SiteCreate[],
  stored: readonly StoredSite[],
  prune: boolean,
): Promise<SitePlan> {
  const before = matchSites(file, stored)
  const changes: PlannedSite[] = []
  for (const input of file) {
    const old = before.get(input)
    const wanted = await changedSite(old?.wanted, input)
    const name = input.site_name
    if (old === undefined) changes.push({ kind: 'create', name, wanted })
    else {
      const members = differences(old.wanted, wanted)
      if (members.length > 0) changes.push({ kind: 'change', name, id: old.id, wanted, members })
    }
  }
  const known = new Set(before.values())
  const unlisted = stored.filter((site) => !known.has(site))
  const edited = new Set(changes.map((change) => (change.kind === 'create' ? undefined : change.id)))
  const staying = stored.filter((site) => !edited.has(site.id) && (!prune || known.has(site)))
  if (!prune) return { changes, unlisted, staying }
  const deletions = unlisted.map(({ id, wanted }): PlannedSite => ({
    kind: 'delete',
    name: wanted.record.site_name,
    id,
  }))
  return { changes: [...changes, ...deletions], unlisted: [], staying }
}

/** The stored site of each site of a file. */
function matchSites(file: readonly SiteCreate[], stored: readonly StoredSite[]): Map<SiteCreate, StoredSite> {
  const byName = new Map(stored.map((site) => [site.wanted.record.site_name.toLowerCase(), site]))
  const found = new Map<SiteCreate, StoredSite>()
  for (const input of file) {
    const site = byName.get(input.site_name.toLowerCase())
    if (site !== undefined) found.set(input, site)
  }
  const named = new Set(found.values())
  const byDomain = new Map(
    stored
      .filter((site) => !named.has(site))
      .flatMap((site) => site.wanted.record.domains.map((domain) => [domain, site] as const)),
  )
  for (const input of file) {
    const same = new Set(input.domains.flatMap((domain) => byDomain.get(domain) ?? []))
    const [site] = same
    if (found.has(input) || site === undefined || same.size > 1 || named.has(site)) continue
    found.set(input, site)
    named.add(site)
  }
  return found
}

function differences(before: WantedSite, after: WantedSite): string[] {
  const old = new Map<string, unknown>(Object.entries(before.record))
  const members = Object.entries(after.record).flatMap(([key, value]) =>
    isDeepStrictEqual(value, old.get(key)) ? [] : [key],
  )
  const hasNewPasswords = !isDeepStrictEqual(before.extras.hashes, after.extras.hashes)
  return hasNewPasswords && !members.includes('basic_auth') ? [...members, 'basic_auth'] : members
}
