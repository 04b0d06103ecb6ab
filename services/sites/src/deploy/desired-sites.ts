import type { CompiledSite, ConfigOptions, DesiredState } from '../caddy/desired-state.ts'
import type { UploadedMaterial } from '../certificates/uploads/uploaded-material.ts'
import type { Settings } from '../settings/schema.ts'
import type { ReachNetworks } from '../sites/reach-schema.ts'
import { wantedOfRow, type WantedSite } from '../sites/site-change.ts'
import type { SiteRow, SiteStateRow, SiteVersionRow } from '../sites/tables.ts'

/** One site in the version to serve. */
export interface DesiredSite extends WantedSite {
  readonly id: number
  readonly revision: number
  readonly name: string
}

/** Columns that differ when a site has changed. */
export type SiteHead = Pick<SiteRow, 'id' | 'revision' | 'enabled' | 'updated_at'>

/** Creates a reader that caches sites: most are the same from one change to the next, and are not read again. */
export function createSiteReader() {
  let known = new Map<number, { readonly site: DesiredSite; readonly updatedAt: number }>()
  return {
    /** Returns the enabled sites; `fetch` reads the new and changed ones. */
    async read(
      heads: readonly SiteHead[],
      fetch: (ids: readonly number[]) => Promise<readonly SiteRow[]>,
    ): Promise<DesiredSite[]> {
      const enabled = heads.filter((head) => head.enabled === 1)
      const isKnown = ({ id, revision, updated_at: updatedAt }: SiteHead) => {
        const before = known.get(id)
        return before?.site.revision === revision && before.updatedAt === updatedAt
      }
      const fresh = await fetch(enabled.filter((head) => !isKnown(head)).map(({ id }) => id))
      const read = new Map(fresh.filter((row) => row.enabled === 1).map((row) => [row.id, desiredSite(row)]))
      const sites = enabled.flatMap(({ id, updated_at: updatedAt }) => {
        const site = read.get(id) ?? known.get(id)?.site
        return site === undefined ? [] : [[id, { site, updatedAt }] as const]
      })
      known = new Map(sites)
      return sites.map(([, { site }]) => site)
    },
  }
}

/** Returns the enabled sites of these rows. */
export const desiredSites = (rows: readonly SiteRow[]): DesiredSite[] =>
  rows.filter((row) => row.enabled === 1).map(desiredSite)

const desiredSite = (row: SiteRow): DesiredSite => ({
  id: row.id,
  revision: row.revision,
  name: row.name,
  ...wantedOfRow(row),
})

/** Returns a site in an earlier version. */
export function siteOfVersion(row: SiteVersionRow): DesiredSite {
  return { id: row.site_id, revision: row.revision, name: row.name, ...wantedOfRow(row) }
}

/** Replaces refused sites by their last applied version; omits those that were never applied. */
export function withFallbacks(
  sites: readonly DesiredSite[],
  quarantined: ReadonlyMap<number, string>,
  fallbacks: ReadonlyMap<number, DesiredSite>,
): DesiredSite[] {
  if (quarantined.size === 0) return [...sites]
  return sites.flatMap((site) => {
    if (!quarantined.has(site.id)) return [site]
    const fallback = fallbacks.get(site.id)
    return fallback === undefined || fallback.revision === site.revision ? [] : [fallback]
  })
}

/** Returns the changed states of sites on a node that runs `running` and has refused the quarantined sites. */
export function statesAfter(
  nodeId: number,
  before: readonly SiteStateRow[],
  now: {
    readonly desired: readonly DesiredSite[]
    readonly running: readonly DesiredSite[]
    readonly quarantined: ReadonlyMap<number, string>
  },
): SiteStateRow[] {
  const running = new Map(now.running.map((site) => [site.id, site.revision]))
  const wanted = new Map(now.desired.map((site) => [site.id, site.revision]))
  const ids = new Set([...before.map((state) => state.site_id), ...wanted.keys()])
  const known = new Map(before.map((state) => [state.site_id, state]))
  return [...ids].flatMap((id) => {
    const error = now.quarantined.get(id) ?? null
    const after: SiteStateRow = {
      site_id: id,
      node_id: nodeId,
      applied_revision: running.get(id) ?? null,
      refused_revision: error === null ? null : (wanted.get(id) ?? null),
      error,
    }
    const old = known.get(id)
    const isSame =
      old?.applied_revision === after.applied_revision &&
      old.refused_revision === after.refused_revision &&
      old.error === after.error
    return isSame ? [] : [after]
  })
}

/** Returns what the configuration of these sites is compiled from, with the settings and certificates of now. */
type ReadDesiredState = (sites: readonly DesiredSite[]) => DesiredState

/** Creates the function that adds the current settings and certificates to sites, for the compiler. */
export function createReadDesiredState(dependencies: {
  readonly settings: () => Settings
  readonly material: UploadedMaterial
  /** Returns the address that Caddy requests before it gets an on-demand certificate; undefined when it cannot reach one. */
  readonly onDemandAsk: () => string | undefined
  /** Returns the external accounts by the directory of the authority. */
  readonly externalAccounts: () => NonNullable<ConfigOptions['externalAccounts']>
  /** Returns the networks that count as inside. */
  readonly reach: () => ReachNetworks
}): ReadDesiredState {
  const { settings, material, onDemandAsk, externalAccounts, reach } = dependencies
  return (sites) => ({
    sites: sites.map((site) => compiledSite(site, material)),
    options: { ...optionsOf(settings(), onDemandAsk()), externalAccounts: externalAccounts(), reach: reach() },
  })
}

function optionsOf(settings: Settings, onDemandAsk: string | undefined): ConfigOptions {
  return {
    ...(onDemandAsk !== undefined && { onDemandAsk }),
    ...(settings.acme_email !== '' && { acmeEmail: settings.acme_email }),
    ...(settings.acme_ca !== '' && { acmeCa: settings.acme_ca }),
    catchAll: settings.default_response === 'abort' ? 'abort' : 'not_found',
    maintenancePage: settings.maintenance_page,
  }
}

function compiledSite({ id, record, extras }: DesiredSite, material: UploadedMaterial): CompiledSite {
  const { certificate_id: certificateId, client_auth_ca_id: clientAuthority } = record.tls
  const certificate = certificateId === null ? undefined : material.certificate(certificateId)
  const clientAuthorities = clientAuthority === null ? undefined : material.authority(clientAuthority)
  const upstreamTls = [record.upstream_tls, ...record.paths.map(({ upstream_tls }) => upstream_tls)]
  const authorities = upstreamTls.flatMap(({ ca_id: number }) => {
    const found = number === null ? undefined : material.authority(number)
    return number === null || found === undefined ? [] : [[number, found] as const]
  })
  return {
    id,
    record,
    passwordHashes: extras.hashes,
    ...(certificate !== undefined && { certificate }),
    ...(clientAuthorities !== undefined && { clientAuthorities }),
    ...(authorities.length > 0 && { upstreamAuthorities: Object.fromEntries(authorities) }),
    ...(extras.rawRoutes !== undefined && { rawRoutes: extras.rawRoutes }),
  }
}
