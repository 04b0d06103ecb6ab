import { hostname, networkInterfaces } from 'node:os'
import type { Kysely } from 'kysely'
import type { PortalSockets } from '../caddy/desired-state.ts'
import type { UploadedMaterial } from '../certificates/uploads/uploaded-material.ts'
import type { Config } from '../config.ts'
import type { Settings } from '../settings/schema.ts'
import type { ReadRuleContext } from '../sites/check-wanted.ts'
import { createDomainIndex } from '../sites/domains.ts'
import { allDomainOwners, domainOwnersBeside } from '../sites/domain-store.ts'
import { findPortalSite } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'
import { adminListen } from './nodes/admin-address.ts'
import type { Nodes } from './nodes/nodes.ts'
import { onDemandAskUrl } from './on-demand-routes.ts'

/** Creates the function that reads what the rules about sites check against. */
export function createReadRuleContext(dependencies: {
  readonly config: Config
  readonly db: Kysely<SiteTables>
  readonly settings: { current(): Settings }
  readonly material: UploadedMaterial
  readonly nodes: Pick<Nodes, 'list'>
  /** Returns the port this service listens on. */
  readonly port: () => number
  /** Sockets of the portal, why no Caddy reaches them, and the groups that protected sites may name. */
  readonly portal: {
    readonly sockets: PortalSockets
    readonly obstacle: string | undefined
    readonly groups: () => Promise<readonly string[]>
  }
  /** Returns the addresses of public status pages. */
  readonly statusPages: () => Promise<readonly string[]>
}): ReadRuleContext {
  const { config, db, settings, material, nodes, port, portal, statusPages } = dependencies
  return async (site) => {
    const sites = site === undefined ? await allDomainOwners(db) : await domainOwnersBeside(db, site)
    const known = await nodes.list()
    const ids = new Map(sites.map((site) => [site.site_name.toLowerCase(), site.id]))
    const admins = known.flatMap(({ admin, adminBlock }) => [adminListen(admin), adminBlock.listen])
    return {
      domains: createDomainIndex(sites),
      siteOfName: (name) => ids.get(name.toLowerCase()),
      protectedAddresses: [
        ...new Set([...admins, ...Object.values(portal.sockets), hostPort(config.bindAddress, port())]),
      ],
      protectedHosts: config.origins.map((origin) => new URL(origin).hostname),
      localHosts: localNames(),
      listenPorts: [...new Set(known.flatMap(({ row }) => [row.http_port, row.https_port]))],
      staticBases: config.staticBases,
      socketDirectories: config.socketDirectories,
      hasOnDemandAsk: onDemandAskUrl(config.bindAddress, port()) !== undefined,
      portal: {
        obstacle: portal.obstacle,
        siteId: await findPortalSite(db),
        groups: new Set(await portal.groups()),
      },
      statusPages: new Set(await statusPages()),
      allowsRaw: settings.current().allow_raw,
      hasCertificate: (id) => material.certificate(id) !== undefined,
      hasAuthority: (id) => material.authority(id) !== undefined,
    }
  }
}

function localNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => address)]
}

const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
