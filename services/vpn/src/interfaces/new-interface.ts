import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { InterfaceRow, Tables } from '../tables.ts'
import { conflict, invalidField } from '../problems.ts'
import { generateKeyPair } from '../wireguard/keys.ts'
import { sealContext } from './desired-devices.ts'
import { type InterfaceCreate, type InterfaceProposal, type InterfaceUpdate, normaliseResolvers } from './schema.ts'
import { address4Problem, address6Problem, canonicalIpv6, overlaps, subnet4 } from './subnet.ts'
import { firstFreePort, type HostLinks } from './host-links.ts'
import { allInterfaceRows } from './store.ts'

/** Settings that a new interface takes over when it names no others. */
export interface InterfaceDefaults {
  readonly default_dns: string
  readonly default_mtu: number
}

/** Both halves of a key, base64. `privateKey` is a secret. */
export type KeyPair = ReturnType<typeof generateKeyPair>

/** Creates the row of a new interface with its own key pair, or the one it has elsewhere. Throws a `Problem` when this host cannot have the addresses. */
export function newInterfaceRow(
  input: InterfaceCreate & { listen_port: number },
  context: { sealer: Sealer; settings: InterfaceDefaults; now: number; keys?: KeyPair },
): InterfaceRow {
  const { sealer, settings, now, keys: pair = generateKeyPair() } = context
  return withCheckedAddresses({
    name: input.name,
    address: input.address,
    address6: input.address6 ?? null,
    listen_port: input.listen_port,
    dns: normaliseResolvers(input.dns ?? settings.default_dns),
    mtu: input.mtu ?? settings.default_mtu,
    nat: input.nat === false ? 0 : 1,
    forwarding: input.forwarding === false ? 0 : 1,
    enabled: input.enabled === false ? 0 : 1,
    private_key: sealer.seal(pair.privateKey, sealContext.interfaceKey(input.name)),
    public_key: pair.publicKey,
    next_host: subnet4(input.address).network + 1,
    created_at: now,
    updated_at: now,
    node_id: input.node_id ?? null,
    standby_node_id: input.standby_node_id ?? null,
  })
}

/** The row after a change. */
export function changedInterfaceRow(row: InterfaceRow, changes: InterfaceUpdate, now: number): InterfaceRow {
  if (changes.name !== undefined && changes.name !== row.name) throw invalidField('name', 'cannot change')
  const flag = (value: boolean | undefined, stored: number) => (value === undefined ? stored : Number(value))
  return withCheckedAddresses({
    ...row,
    address: changes.address ?? row.address,
    address6: changes.address6 === undefined ? row.address6 : changes.address6,
    listen_port: changes.listen_port ?? row.listen_port,
    dns: changes.dns === undefined ? row.dns : normaliseResolvers(changes.dns),
    mtu: changes.mtu ?? row.mtu,
    nat: flag(changes.nat, row.nat),
    forwarding: flag(changes.forwarding, row.forwarding),
    enabled: flag(changes.enabled, row.enabled),
    node_id: changes.node_id === undefined ? row.node_id : changes.node_id,
    standby_node_id: changes.standby_node_id === undefined ? row.standby_node_id : changes.standby_node_id,
    updated_at: now,
  })
}

function withCheckedAddresses(row: InterfaceRow): InterfaceRow {
  const problem4 = address4Problem(row.address)
  if (problem4 !== undefined) throw invalidField('address', problem4)
  if (row.address6 === null) return row
  const problem6 = address6Problem(row.address6)
  if (problem6 !== undefined) throw invalidField('address6', problem6)
  const [address = '', prefix = ''] = row.address6.split('/')
  return { ...row, address6: `${canonicalIpv6(address)}/${prefix}` }
}

/** The third number of the networks that are proposed, from the first to the last. */
const range = { first: 13, last: 254 }

/** A name, network and port that are free, to begin a new interface with. */
export async function proposeInterface(dependencies: {
  database: Database<Tables>
  host: HostLinks
  settings: () => InterfaceDefaults
}): Promise<InterfaceProposal> {
  const rows = await allInterfaceRows(dependencies.database.query)
  const host = await dependencies.host.networks()
  const names = new Set(rows.map((row) => row.name))
  let number = 0
  while (names.has(`wg${number}`) || (await dependencies.host.isTaken(`wg${number}`))) number += 1
  for (let third = range.first; third <= range.last; third += 1) {
    const address = `10.13.${third}.1/24`
    const address6 = `fd13:13:${third}::1/64`
    const taken = [
      ...rows.flatMap((row) => [row.address, row.address6 ?? []].flat()),
      ...host.map((each) => each.network),
    ]
    const clashes = taken.some((network) => overlaps(network, network.includes(':') ? address6 : address))
    if (clashes) continue
    const settings = dependencies.settings()
    return {
      name: `wg${number}`,
      address,
      address6,
      listen_port: await firstFreePort(dependencies.database.query, dependencies.host),
      dns: settings.default_dns,
      mtu: settings.default_mtu,
    }
  }
  throw conflict('address', 'Every network from 10.13.13.0/24 to 10.13.254.0/24 is taken')
}
