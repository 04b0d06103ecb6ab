import type { Kysely } from 'kysely'
import { dialOf } from './caddy/upstream-url.ts'
import type { NodeEndpoint, SiteHost, SiteHosts } from './certificates/site-host.ts'
import type { Tables } from './database/tables.ts'
import { reachHost } from './nodes/node-place.ts'
import type { Nodes } from './nodes/nodes.ts'
import { wantedOfRow } from './sites/site-change.ts'
import type { SiteRecord } from './sites/schema.ts'
import { allDomainOwners, allSiteRows, findSiteRow } from './sites/store.ts'
import type { DeclaredUpstream } from './traffic/upstreams/upstream-states.ts'

/** The sites, as those see them who look at what is served. */
export interface ObservedSites extends SiteHosts {
  hasSite(id: number): Promise<boolean>
  /** All hosts with the sites they belong to, those of disabled sites too: old lines of a log are theirs. */
  owners(): Promise<(readonly [host: string, siteId: number])[]>
  upstreams(): Promise<DeclaredUpstream[]>
  /** Sites that name an uploaded certificate or authority, disabled ones too. */
  usingCertificate(id: number): Promise<number[]>
}

export interface ObservedSitesParts {
  readonly db: Kysely<Tables>
  /** The servers; undefined until they are open. */
  readonly nodes: () => Nodes | undefined
  /** Sites whose names SSL Labs may hear. */
  readonly optedIn: () => Promise<ReadonlySet<number>>
}

export function createObservedSites({ db, nodes, optedIn }: ObservedSitesParts): ObservedSites {
  const all = async () =>
    (await allSiteRows(db)).map((row) => ({
      id: row.id,
      isEnabled: row.enabled === 1,
      changedAt: row.updated_at,
      record: wantedOfRow(row).record,
    }))
  return {
    async list() {
      const allowed = await optedIn()
      return (await all())
        .filter(({ isEnabled }) => isEnabled)
        .flatMap(({ id, record, changedAt }): SiteHost[] =>
          record.domains.map((host) => ({
            siteId: id,
            host,
            tlsMode: record.tls.mode,
            changedAt,
            mayBeScanned: allowed.has(id),
          })),
        )
    },
    endpoint: () => endpointOf(nodes()),
    hasSite: async (id) => (await findSiteRow(db, id)) !== undefined,
    owners: async () =>
      (await allDomainOwners(db)).flatMap(({ id, domains }) => domains.map((host) => [host, id] as const)),
    async upstreams() {
      const enabled = (await all()).filter(({ isEnabled }) => isEnabled)
      const pairs = enabled.flatMap(({ id, record }) => addressesOf(record).map((address) => ({ address, id })))
      return [...Map.groupBy(pairs, ({ address }) => address)].map(([address, users]) => ({
        address,
        siteIds: [...new Set(users.map(({ id }) => id))],
      }))
    },
    async usingCertificate(id) {
      return (await all()).filter(({ record }) => certificatesOf(record).includes(id)).map((site) => site.id)
    },
  }
}

/** The first server is the one whose certificates are shown. */
async function endpointOf(nodes: Nodes | undefined): Promise<NodeEndpoint | undefined> {
  const node = await nodes?.get(1)
  if (node === undefined) return undefined
  return { address: reachHost(node), httpPort: node.row.http_port, httpsPort: node.row.https_port }
}

const addressesOf = (record: SiteRecord): string[] => [
  ...(record.kind === 'proxy' ? record.upstreams.map(({ url }) => dialOf(url)) : []),
  ...record.paths.flatMap(({ upstreams }) => upstreams.map(({ url }) => dialOf(url))),
]

const certificatesOf = (record: SiteRecord): (number | null)[] => [
  record.tls.certificate_id,
  record.tls.client_auth_ca_id,
  record.upstream_tls.ca_id,
  ...record.paths.map(({ upstream_tls }) => upstream_tls.ca_id),
]
