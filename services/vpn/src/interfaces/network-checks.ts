import type { Kysely } from 'kysely'
import type { InterfaceRow, Tables } from '../tables.ts'
import { conflict } from '../problems.ts'
import type { HostNetwork } from './host-links.ts'
import { allInterfaceRows, peerAddresses } from './store.ts'
import { isPeerAddress4, isPeerAddress6, numberOfIpv4, overlaps, subnet4, subnet6 } from './subnet.ts'

/** Number of peers that an error names. */
const namedPeers = 20

/** Two interfaces must not share a network: the kernel would route to the one that came last. */
export async function checkNetworks(trx: Kysely<Tables>, row: InterfaceRow): Promise<void> {
  for (const other of await allInterfaceRows(trx)) {
    if (other.name === row.name) continue
    if (overlaps(other.address, row.address))
      throw conflict('address', `The network overlaps with ${other.name} (${other.address})`)
    if (other.address6 !== null && row.address6 !== null && overlaps(other.address6, row.address6)) {
      throw conflict('address6', `The network overlaps with ${other.name} (${other.address6})`)
    }
    if (other.listen_port === row.listen_port)
      throw conflict('listen_port', `The port ${row.listen_port} belongs to ${other.name}`)
  }
}

/**
 * A tunnel takes over its network's routes: one on a network of this host cuts it off from its neighbours there. The devices of
 * interfaces are left out; among themselves `checkNetworks` compares them.
 */
export async function checkHostNetworks(
  db: Kysely<Tables>,
  row: Pick<InterfaceRow, 'name' | 'address' | 'address6'>,
  networks: readonly HostNetwork[],
): Promise<void> {
  const own = new Set([row.name, ...(await allInterfaceRows(db)).map(({ name }) => name)])
  for (const field of ['address', 'address6'] as const) {
    const wanted = row[field]
    if (wanted === null) continue
    const isIpv6 = wanted.includes(':')
    const clash = networks.find(
      ({ network, device }) => !own.has(device) && network.includes(':') === isIpv6 && overlaps(network, wanted),
    )
    if (clash === undefined) continue
    const message = `The network ${wanted} overlaps with ${clash.network}, which this host reaches over ${clash.device}: it would lose its way there. Choose another network, or set allow_host_overlap`
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
