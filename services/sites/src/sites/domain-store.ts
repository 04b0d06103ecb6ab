import { likePattern } from '@hearth/database'
import { sql, type Kysely } from 'kysely'
import { isWildcard, wildcardOver } from './domains.ts'
import type { SiteRow, SiteTables } from './tables.ts'

type Db = Kysely<SiteTables>

/** Returns the owning site of each domain; domains without one are absent. */
export async function findDomainOwners(db: Db, domains: readonly string[]): Promise<Map<string, number>> {
  if (domains.length === 0) return new Map()
  const rows = await db.selectFrom('site_domains').selectAll().where('domain', 'in', domains).execute()
  return new Map(rows.map((row) => [row.domain, row.site_id]))
}

const namedSites = (db: Db) => db.selectFrom('sites').select(['id', 'name', 'domains']).orderBy('id')

const namedSite = ({ id, name, domains }: Pick<SiteRow, 'id' | 'name' | 'domains'>) => ({
  id,
  site_name: name,
  domains: domains.split(' '),
})

/** Returns every site with its name and domains. */
export async function allDomainOwners(db: Db): Promise<ReturnType<typeof namedSite>[]> {
  return (await namedSites(db).execute()).map(namedSite)
}

/** Returns the sites that have one of these domains or the name, a wildcard over a domain, or names below a wildcard. */
export async function domainOwnersBeside(
  db: Db,
  { site_name: name, domains }: { readonly site_name: string; readonly domains: readonly string[] },
): Promise<ReturnType<typeof namedSite>[]> {
  const names = domains.flatMap((domain) => [domain, wildcardOver(domain) ?? domain])
  const below = domains.filter(isWildcard).map((domain) => `%${likePattern(domain.slice(1))}`)
  const owners = db
    .selectFrom('site_domains')
    .select('site_id')
    .where((row) =>
      row.or([
        ...names.map((domain) => row('domain', '=', domain)),
        ...below.map((pattern) => sql<boolean>`domain like ${pattern} escape '\\'`),
      ]),
    )
  const beside = namedSites(db).where((row) =>
    row.or([row('name_key', '=', name.toLowerCase()), row('id', 'in', owners)]),
  )
  return (await beside.execute()).map(namedSite)
}

/** Resolves to true if an enabled site whose certificates are made at the first visit has the domain, or a wildcard over it. */
export async function hasOnDemandSite(db: Db, domain: string): Promise<boolean> {
  const wildcard = wildcardOver(domain)
  const names = wildcard === undefined ? [domain] : [domain, wildcard]
  const rows = await db
    .selectFrom('sites')
    .innerJoin('site_domains', 'site_domains.site_id', 'sites.id')
    .select('sites.record')
    .where('site_domains.domain', 'in', names)
    .where('sites.enabled', '=', 1)
    .execute()
  return rows.some(({ record }) => (JSON.parse(record) as { tls: { mode: string } }).tls.mode === 'on_demand')
}
