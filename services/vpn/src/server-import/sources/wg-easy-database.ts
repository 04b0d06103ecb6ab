import { z } from 'zod'
import { ipv4OfNumber, ipv6Host, subnet4, subnet6 } from '../../interfaces/subnet.ts'
import { checkContent } from '../../foreign-files/check-content.ts'
import type { LeftOut } from '../../foreign-files/given-file.ts'
import type { FoundPeer, FoundServer, FoundServers } from '../found-server.ts'
import type { ForeignStore } from '../../foreign-files/foreign-store.ts'
import { optionalStoredKey, storedKey } from './key-schemas.ts'

const flag = z.union([z.literal(0), z.literal(1), z.boolean()]).transform(Boolean)
const list = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue('is no list')
      return z.NEVER
    }
  })
  .pipe(z.array(z.string()))

const InterfaceTableRow = z.object({
  name: z.string(),
  port: z.int().min(1).max(65_535),
  private_key: storedKey,
  ipv4_cidr: z.cidrv4(),
  ipv6_cidr: z.cidrv6(),
  mtu: z.int(),
  enabled: flag,
})
const ClientRow = z.object({
  interface_id: z.string().optional(),
  name: z.string(),
  ipv4_address: z.ipv4(),
  ipv6_address: z.ipv6(),
  private_key: optionalStoredKey,
  public_key: storedKey,
  pre_shared_key: optionalStoredKey,
  expires_at: z.string().nullable(),
  allowed_ips: list.nullable(),
  server_allowed_ips: list,
  persistent_keepalive: z.int().min(0).max(65_535),
  enabled: flag,
})
const UserConfigRow = z.object({ id: z.string(), default_dns: list, default_allowed_ips: list, host: z.string() })

/** Returns true if the database is that of wg-easy 15. */
export const isWgEasyDatabase = ({ tables }: ForeignStore): boolean =>
  tables.has('interfaces_table') && tables.has('clients_table')

/** Reads the database of wg-easy 15, `wg-easy.db`. */
export function readWgEasyDatabase(file: string, store: ForeignStore): FoundServers {
  const read = <S extends z.ZodType>(table: string, schema: S): z.output<S>[] =>
    store.rows(table).map((value, index) => checkContent(file, `row ${index + 1} of ${table}`, { schema, value }))
  const interfaces = read('interfaces_table', InterfaceTableRow)
  const clients = read('clients_table', ClientRow)
  const defaults = new Map(read('user_configs_table', UserConfigRow).map((row) => [row.id, row]))
  const servers = interfaces.map((row): FoundServer => {
    const own = clients.filter((client) => (client.interface_id ?? interfaces[0]?.name) === row.name)
    return {
      source: 'wg-easy',
      name: row.name,
      privateKey: row.private_key,
      addresses: serverAddresses(row),
      listenPort: row.port,
      mtu: row.mtu,
      dns: defaults.get(row.name)?.default_dns,
      enabled: row.enabled,
      peers: own.map((client) => peerOf(client, defaults.get(row.name)?.default_allowed_ips)),
    }
  })
  return { servers, leftOut: [...leftOutOf(store), ...[...defaults.values()].flatMap(hostLeftOut)] }
}

/** The server has the first address of each of its networks. */
function serverAddresses({ ipv4_cidr, ipv6_cidr }: z.infer<typeof InterfaceTableRow>): string[] {
  const network4 = subnet4(ipv4_cidr)
  const network6 = subnet6(ipv6_cidr)
  return [`${ipv4OfNumber(network4.network + 1)}/${network4.prefix}`, `${ipv6Host(network6, 1)}/${network6.prefix}`]
}

function peerOf(client: z.infer<typeof ClientRow>, defaultRoutes: readonly string[] | undefined): FoundPeer {
  return {
    name: client.name,
    publicKey: client.public_key,
    privateKey: client.private_key,
    presharedKey: client.pre_shared_key,
    addresses: [`${client.ipv4_address}/32`, `${client.ipv6_address}/128`, ...client.server_allowed_ips],
    routed: client.allowed_ips ?? defaultRoutes,
    keepalive: client.persistent_keepalive,
    enabled: client.enabled,
    expiresAt: client.expires_at,
  }
}

const hooks = ['pre_up', 'post_up', 'pre_down', 'post_down']

function leftOutOf(store: ForeignStore): LeftOut[] {
  const ran = (store.tables.has('hooks_table') ? store.rows('hooks_table') : []).filter((row) =>
    hooks.some((hook) => (row[hook] ?? '') !== ''),
  )
  return [
    ...ran.map((row) => ({
      about: String(row['id']),
      reason: 'hooks (PostUp and the like): this service makes its own firewall rules',
    })),
    { about: 'wg-easy', reason: 'users, passwords and one-time links: make accounts and set-up links here' },
  ]
}

function hostLeftOut({ id, host }: z.infer<typeof UserConfigRow>): LeftOut[] {
  if (host === '') return []
  return [{ about: id, reason: `devices connect to ${host.slice(0, 253)}: set it as public endpoint in the settings` }]
}
