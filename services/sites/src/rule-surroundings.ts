import { adminListen } from './nodes/admin-address.ts'
import { onDemandAskUrl } from './on-demand/routes.ts'
import type { Nodes } from './nodes/nodes.ts'
import type { ProxyParts } from './proxy.ts'
import { createSiteDirectory, type RuleSurroundings } from './sites/check-wanted.ts'
import { allDomainOwners } from './sites/store.ts'

/** What they are found out with. */
export type SurroundingsParts = Pick<ProxyParts, 'config' | 'database' | 'settings' | 'material' | 'port'>

/** What the rules about sites need to know of this service and its Caddy servers. */
export function createRuleSurroundings(
  { config, database, settings, material, port }: SurroundingsParts,
  { nodes }: { readonly nodes: Pick<Nodes, 'list'> },
): RuleSurroundings {
  return {
    directory: async () => createSiteDirectory(await allDomainOwners(database.query)),
    async protectedAddresses() {
      const known = await nodes.list()
      const admins = known.flatMap(({ admin, adminBlock }) => [adminListen(admin), adminBlock.listen])
      return [...new Set([...admins, hostPort(config.bindAddress, port())])]
    },
    protectedHosts: () => config.origins.map((origin) => new URL(origin).hostname),
    async listenPorts() {
      const known = await nodes.list()
      return [...new Set(known.flatMap(({ row }) => [row.http_port, row.https_port]))]
    },
    staticBases: config.staticBases,
    socketDirectories: config.socketDirectories,
    hasOnDemandAsk: () => onDemandAskUrl(config.bindAddress, port()) !== undefined,
    allowsRaw: () => settings.current().allow_raw,
    certificateIds: () => Promise.resolve(material.certificateIds()),
    authorityIds: () => Promise.resolve(material.authorityIds()),
  }
}

const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
