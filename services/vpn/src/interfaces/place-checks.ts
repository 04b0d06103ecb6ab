import type { Kysely } from 'kysely'
import { conflict, invalidField } from '../problems.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import { firstFreePort, type HostLinks } from './host-links.ts'
import { readReach } from './host-reach.ts'
import { checkHostNetworks, hostsOf } from './network-checks.ts'
import { findNodeName, interfaceRowsOn } from './store.ts'

/** An interface before a change, none when it is created, and after it. */
export interface PlacedChange {
  readonly before?: InterfaceRow
  readonly after: InterfaceRow
  /** Take networks that a host reaches over another device. */
  readonly allowHostOverlap: boolean
}

/** Checks that the hosts of an interface can have it. Of a node the database is asked, and what it reported: the rest shows when it runs there. */
export async function checkPlace(
  db: Kysely<Tables>,
  host: HostLinks,
  { before, after, allowHostOverlap }: PlacedChange,
): Promise<void> {
  const { node_id: nodeId } = after
  const comes = before === undefined || before.node_id !== nodeId
  await checkNodes(db, before, after)
  if (nodeId === null && comes && (await host.isTaken(after.name)))
    throw conflict('name', `This host has a network interface ${after.name} already`)
  const earlier = before?.listen_port === after.listen_port ? hostsOf(before) : []
  for (const each of hostsOf(after)) if (!earlier.includes(each)) await checkPort(db, host, { row: after, on: each })
  if (allowHostOverlap) return
  const isSame = after.address === before?.address && after.address6 === before.address6
  const known = isSame ? hostsOf(before) : []
  for (const each of hostsOf(after))
    if (!known.includes(each)) checkHostNetworks(after, await readReach(db, host, each))
}

async function checkNodes(db: Kysely<Tables>, before: InterfaceRow | undefined, after: InterfaceRow): Promise<void> {
  for (const column of ['node_id', 'standby_node_id'] as const) {
    const id = after[column]
    if (id !== null && before?.[column] !== id && (await findNodeName(db, id)) === undefined)
      throw invalidField(column, 'is not a node of this service', 'unknown')
  }
  if (after.standby_node_id !== null && after.standby_node_id === after.node_id)
    throw invalidField('standby_node_id', 'is the node that runs the interface: name another one, or null for none')
}

/** The first port that an interface can have on all of these hosts. */
export function freePortOn(
  db: Kysely<Tables>,
  host: Pick<HostLinks, 'isPortFree'>,
  hosts: readonly (string | null)[],
): Promise<number> {
  // Nobody here knows the other programs of a node.
  const isPortFree = hosts.includes(null) ? host.isPortFree : () => Promise.resolve(true)
  return firstFreePort(db, { isPortFree }, hosts)
}

async function checkPort(
  db: Kysely<Tables>,
  host: Pick<HostLinks, 'isPortFree'>,
  { row: { name, listen_port: port }, on }: { readonly row: InterfaceRow; readonly on: string | null },
): Promise<void> {
  const owner = (await interfaceRowsOn(db, on)).find((row) => row.listen_port === port && row.name !== name)
  if (owner !== undefined) throw conflict('listen_port', `The port ${port} belongs to ${owner.name}`)
  if (on === null && !(await host.isPortFree(port)))
    throw conflict('listen_port', `Another program on this host uses the UDP port ${port}`)
}
