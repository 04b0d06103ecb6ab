import { adminListen } from './nodes/admin-address.ts'
import type { ManagementParts } from './management.ts'
import { onDemandAskUrl } from './on-demand/routes.ts'
import type { Proxy } from './proxy.ts'
import type { RuleSurroundings } from './sites/check-wanted.ts'
import { allDomainOwners } from './sites/store.ts'

/** What the rules about sites need to know of this service and its Caddy servers. */
export function createRuleSurroundings(
  { config, database, settings, material, port }: ManagementParts,
  { nodes }: Pick<Proxy, 'nodes'>,
): RuleSurroundings {
  return {
    owners: () => allDomainOwners(database.query),
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
