import type { Kysely } from 'kysely'
import { conflict, invalidField } from '../problems.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import { firstFreePort, type HostLinks } from './host-links.ts'
import { checkHostNetworks } from './network-checks.ts'
import { findNodeName, interfaceRowsOn } from './store.ts'

/** An interface before a change, none when it is created, and after it. */
export interface PlacedChange {
  readonly before?: InterfaceRow
  readonly after: InterfaceRow
  /** Take networks that this host reaches over another device. */
  readonly allowHostOverlap: boolean
}

/** Checks that the host of an interface can have it. Of a node only the database is asked: the rest shows when it runs there. */
export async function checkPlace(
  db: Kysely<Tables>,
  host: HostLinks,
  { before, after, allowHostOverlap }: PlacedChange,
): Promise<void> {
  const { node_id: nodeId } = after
  const comes = before === undefined || before.node_id !== nodeId
  if (nodeId !== null) {
    if (comes && (await findNodeName(db, nodeId)) === undefined)
      throw invalidField('node_id', 'is not a node of this service', 'unknown')
  } else if (comes && (await host.isTaken(after.name)))
    throw conflict('name', `This host has a network interface ${after.name} already`)
  if (comes || before.listen_port !== after.listen_port) await checkPort(db, host, after)
  if (nodeId !== null || allowHostOverlap) return
  if (comes || after.address !== before.address || after.address6 !== before.address6)
    await checkHostNetworks(db, after, await host.networks())
}

/** The first port that an interface can have on its host. */
export function freePortOn(
  db: Kysely<Tables>,
  host: Pick<HostLinks, 'isPortFree'>,
  nodeId: string | null,
): Promise<number> {
  // Nobody here knows the other programs of a node.
  const isPortFree = nodeId === null ? host.isPortFree : () => Promise.resolve(true)
  return firstFreePort(db, { isPortFree }, nodeId)
}

async function checkPort(
  db: Kysely<Tables>,
  host: Pick<HostLinks, 'isPortFree'>,
  { name, listen_port: port, node_id: nodeId }: InterfaceRow,
): Promise<void> {
  const owner = (await interfaceRowsOn(db, nodeId)).find((row) => row.listen_port === port && row.name !== name)
  if (owner !== undefined) throw conflict('listen_port', `The port ${port} belongs to ${owner.name}`)
  if (nodeId === null && !(await host.isPortFree(port)))
    throw conflict('listen_port', `Another program on this host uses the UDP port ${port}`)
}
