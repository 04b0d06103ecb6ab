import type { Kysely } from 'kysely'
import type { SiteRecord } from '../sites/schema.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import { allSiteRows } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'

/** A host name of an enabled site, as far as certificates are concerned. */
export interface SiteHost {
  readonly siteId: number
  /** In ASCII and lower case: a name, a wildcard, or an address without brackets. */
  readonly host: string
  readonly tlsMode: SiteRecord['tls']['mode']
  /** Time when the site was last changed, milliseconds; a certificate may be on its way for a while after that. */
  readonly changedAt: number
  /** True if the owner allows SSL Labs to scan the name. */
  readonly mayBeScanned: boolean
}

/** Address on which the managed server takes connections. */
export interface NodeEndpoint {
  readonly address: string
  readonly httpPort: number
  readonly httpsPort: number
}

/** The hosts of all enabled sites that answer by TLS, and the server that answers for them. */
export interface SiteHosts {
  list(): Promise<readonly SiteHost[]>
  /** Undefined while no server is known. */
  endpoint(): Promise<NodeEndpoint | undefined>
}

/** Returns the hosts of all enabled sites; SSL Labs may scan those of the sites in `mayBeScanned`. */
export async function listSiteHosts(db: Kysely<SiteTables>, mayBeScanned: ReadonlySet<number>): Promise<SiteHost[]> {
  const rows = (await allSiteRows(db)).filter((row) => row.enabled === 1)
  return rows.flatMap((row) => {
    const { domains, tls } = wantedOfRow(row).record
    return domains.map((host) => ({
      siteId: row.id,
      host,
      tlsMode: tls.mode,
      changedAt: row.updated_at,
      mayBeScanned: mayBeScanned.has(row.id),
    }))
  })
}

/** Returns the sites that name an uploaded certificate or authority, disabled ones too. */
export async function sitesUsingCertificate(db: Kysely<SiteTables>, id: number): Promise<number[]> {
  const rows = await allSiteRows(db)
  return rows.filter((row) => certificatesOf(wantedOfRow(row).record).includes(id)).map((row) => row.id)
}

const certificatesOf = (record: SiteRecord): (number | null)[] => [
  record.tls.certificate_id,
  record.tls.client_auth_ca_id,
  record.upstream_tls.ca_id,
  ...record.paths.map(({ upstream_tls }) => upstream_tls.ca_id),
]
