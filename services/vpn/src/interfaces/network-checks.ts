import { acquireLock, type Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { InterfaceRow, Tables } from '../tables.ts'
import { conflict } from '../problems.ts'
import { clashOf, type HostReach } from './host-reach.ts'
import { networksBehind } from './desired-devices.ts'
import { allInterfaceRows, networkOwnerRows, peerAddresses } from './store.ts'
import { isPeerAddress4, isPeerAddress6, numberOfIpv4, sharesAddress, overlaps, subnet4, subnet6 } from './subnet.ts'

/** Number of peers that an error names. */
const namedPeers = 20

/** Columns, or members of a request, that say where an interface runs. */
interface Hosts {
  readonly node_id?: string | null | undefined
  readonly standby_node_id?: string | null | undefined
}

/** The hosts that run an interface, its standby last; null is the host of this service. */
export const hostsOf = ({ node_id: nodeId = null, standby_node_id: standbyId = null }: Hosts): (string | null)[] =>
  standbyId === null ? [nodeId] : [nodeId, standbyId]

/** Takes the lock of transactions that check networks against each other. */
export function lockNetworks(kind: Database<Tables>['kind'], trx: Kysely<Tables>): Promise<void> {
  return acquireLock(kind, trx, 1)
}

/** Two interfaces must not share a network: the kernel would route to the one that came last. */
export async function checkNetworks(trx: Kysely<Tables>, row: InterfaceRow): Promise<void> {
  for (const other of await allInterfaceRows(trx)) {
    if (other.name === row.name) continue
    if (overlaps(other.address, row.address))
      throw conflict('address', `The network overlaps with ${other.name} (${other.address})`)
    if (other.address6 !== null && row.address6 !== null && overlaps(other.address6, row.address6)) {
      throw conflict('address6', `The network overlaps with ${other.name} (${other.address6})`)
    }
    if (other.listen_port === row.listen_port && shareHost(other, row))
      throw conflict('listen_port', `The port ${row.listen_port} belongs to ${other.name}`)
  }
  await checkNetworksBehindPeers(trx, row)
}

/** Returns true when one host runs both interfaces. */
const shareHost = (one: InterfaceRow, other: InterfaceRow): boolean =>
  hostsOf(one).some((id) => hostsOf(other).includes(id))

/** A network behind a peer is reached through that peer, and cannot be an interface's. */
async function checkNetworksBehindPeers(trx: Kysely<Tables>, row: InterfaceRow): Promise<void> {
  for (const peer of await networkOwnerRows(trx)) {
    for (const network of networksBehind(peer)) {
      const where = `${network}, which is behind the peer ${peer.name}`
      for (const field of ['address', 'address6'] as const) {
        const address = row[field]
        if (address !== null && sharesAddress(network, address))
          throw conflict(field, `The network overlaps with ${where}`)
      }
      if (row.address6 === null && peer.interface === row.name && network.includes(':'))
        throw conflict('address6', `IPv6 is needed for ${where}`)
    }
  }
}

/**
 * A tunnel takes over its network's routes: one on a network of its host cuts that off from its neighbours there. The devices of
 * interfaces are left out; among themselves `checkNetworks` compares them.
 */
export function checkHostNetworks(
  { name, address, address6 }: Pick<InterfaceRow, 'name' | 'address' | 'address6'>,
  { who, networks }: HostReach,
): void {
  const reach = { who, networks: networks.filter(({ device }) => device !== name) }
  for (const [field, wanted] of Object.entries({ address, address6 })) {
    const clash = wanted === null ? undefined : clashOf(reach, wanted)
    if (clash === undefined) continue
    const message = `The network ${wanted} overlaps with ${clash.network}, which ${who} reaches over ${clash.device}: it would lose its way there. Choose another network, or set allow_host_overlap`
    throw conflict(field, message, { code: 'host_overlap', ...clash })
  }
}

/** Every peer must keep its address when the interface's network changes. */
export async function checkPeersFit(trx: Kysely<Tables>, row: InterfaceRow): Promise<void> {
  const network4 = subnet4(row.address)
  const network6 = row.address6 === null ? undefined : subnet6(row.address6)
  const outside = (await peerAddresses(trx, row.name)).filter(
    (peer) =>
      !isPeerAddress4(network4, numberOfIpv4(peer.ip)) ||
      (peer.ipv6 !== null && (network6 === undefined || !isPeerAddress6(network6, peer.ipv6))),
  )
  if (outside.length === 0) return
  const peers = outside.slice(0, namedPeers).map(({ id, name, ip, ipv6 }) => ({ id, name, ip, ipv6 }))
  throw conflict('address', `${outside.length} peers have addresses outside the new network`, { peers })
}
