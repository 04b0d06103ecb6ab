import type { Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import { networksBehind } from '../interfaces/desired-devices.ts'
import type { HostLinks } from '../interfaces/host-links.ts'
import { clashOf, type HostReach, readReach } from '../interfaces/host-reach.ts'
import { hostsOf, lockNetworks } from '../interfaces/network-checks.ts'
import { allInterfaceRows, networkOwnerRows } from '../interfaces/store.ts'
import { isReserved, sharesAddress } from '../interfaces/subnet.ts'
import { conflict, invalidField } from '../problems.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import { networkOf, parseNetworkAddress } from '../wireguard/network-address.ts'

/** Networks behind all peers of an interface: each stands in the configurations of the others. */
const maxOfInterface = 500

/** A peer whose networks are set, and its interface. */
interface NetworkOwner {
  readonly id: string
  readonly on: InterfaceRow
}

/** Context in which networks behind a peer are checked. */
export interface NetworkContext {
  readonly kind: Database<Tables>['kind']
  readonly host: Pick<HostLinks, 'networks'>
  /** Take networks that a host of the interface reaches over another device. */
  readonly allowHostOverlap: boolean
}

/**
 * The column for networks behind a peer, in canonical form and checked against everything else that has addresses. A network
 * belongs to one peer, with all that lies in it: a smaller one behind another peer would change its way silently whenever that
 * peer is disabled. Throws a `Problem` that names the network and its other owner.
 */
export async function networksColumn(
  trx: Kysely<Tables>,
  { id, on }: NetworkOwner,
  { given, context }: { given: readonly string[]; context: NetworkContext },
): Promise<PeerRow['networks']> {
  const networks = given.map((network, index) => canonical(network, { on, path: `networks.${index}` }))
  refuseOwnOverlap(networks)
  const distinct = [...new Set(networks)]
  if (distinct.length === 0) return null
  await lockNetworks(context.kind, trx)
  await refuseInterfaces(trx, distinct)
  await refuseOtherPeers(trx, { id, on }, distinct)
  if (!context.allowHostOverlap)
    for (const each of hostsOf(on)) refuseHost(distinct, await readReach(trx, context.host, each))
  return JSON.stringify(distinct)
}

/** Host bits are cleared, as they are everywhere in `allowed_ips`. */
function canonical(given: string, { on, path }: { on: InterfaceRow; path: string }): string {
  const network = networkOf(given)
  if (parseNetworkAddress(network).prefix === 0)
    throw invalidField(path, 'must not be a default route: name the networks that are behind the device')
  if (isReserved(network))
    throw invalidField(path, `must not overlap with loopback, link-local, multicast or reserved addresses: ${network}`)
  if (network.includes(':') && on.address6 === null)
    throw invalidField(path, `must be an IPv4 network: ${on.name} has no IPv6`)
  return network
}

function refuseOwnOverlap(networks: readonly string[]): void {
  for (const [index, network] of networks.entries()) {
    const other = networks.slice(0, index).find((each) => each !== network && sharesAddress(each, network))
    if (other !== undefined) throw invalidField(`networks.${index}`, `overlaps with ${other}, which stands before it`)
  }
}

/** The network of an interface is that of its peers too. */
async function refuseInterfaces(trx: Kysely<Tables>, networks: readonly string[]): Promise<void> {
  for (const { name, address, address6 } of await allInterfaceRows(trx)) {
    for (const own of [address, address6]) {
      const network = own === null ? undefined : networks.find((each) => sharesAddress(each, own))
      if (own === null || network === undefined) continue
      throw taken(network, `the VPN network of ${name} (${networkOf(own)})`, { interface: name })
    }
  }
}

async function refuseOtherPeers(
  trx: Kysely<Tables>,
  { id, on }: NetworkOwner,
  networks: readonly string[],
): Promise<void> {
  let count = networks.length
  for (const other of await networkOwnerRows(trx)) {
    if (other.id === id) continue
    const theirs = networksBehind(other)
    if (other.interface === on.name) count += theirs.length
    for (const network of networks) {
      const owned = theirs.find((each) => sharesAddress(each, network))
      if (owned !== undefined) throw taken(network, `${owned} behind ${other.name}`, { peer: other.name })
    }
  }
  if (count > maxOfInterface)
    throw conflict('networks', `The peers of ${on.name} would have more than ${maxOfInterface} networks behind them`)
}

function refuseHost(networks: readonly string[], reach: HostReach): void {
  for (const network of networks) {
    const clash = clashOf(reach, network)
    if (clash === undefined) continue
    const message = `The network ${network} overlaps with ${clash.network}, which ${reach.who} reaches over ${clash.device}. Choose another network, or set allow_host_overlap`
    throw conflict('networks', message, { code: 'host_overlap', ...clash })
  }
}

function taken(network: string, owner: string, details: Record<string, string>) {
  return conflict('networks', `The network ${network} overlaps with ${owner}`, {
    code: 'network_taken',
    network,
    ...details,
  })
}
