import type { UploadedMaterial } from '../certificates/uploads/uploaded-material.ts'
import type { Config } from '../config.ts'
import type { Settings } from '../settings/schema.ts'
import { createSiteDirectory, type RuleContextSource } from '../sites/check-wanted.ts'
import { allDomainOwners } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'
import type { Kysely } from 'kysely'
import { adminListen } from './nodes/admin-address.ts'
import type { Nodes } from './nodes/nodes.ts'
import { onDemandAskUrl } from './on-demand-routes.ts'

/** Creates the source of what the rules about sites check against: other sites, this service, and its Caddy servers. */
export function createRuleContextSource(dependencies: {
  readonly config: Config
  readonly db: Kysely<SiteTables>
  readonly settings: { current(): Settings }
  readonly material: UploadedMaterial
  readonly nodes: Pick<Nodes, 'list'>
  /** Returns the port this service listens on. */
  readonly port: () => number
}): RuleContextSource {
  const { config, db, settings, material, nodes, port } = dependencies
  return {
    directory: async () => createSiteDirectory(await allDomainOwners(db)),
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
