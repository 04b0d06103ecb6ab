import { parseJson } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { HostLinks } from './host-links.ts'
import type { HostNetwork } from './host-networks.ts'
import { interfaceRowsOn, nodeReachRow } from './store.ts'
import { overlaps } from './subnet.ts'

/** Networks that a host reaches in another way than over the interfaces of this service. */
export interface HostReach {
  /** `this host`, or the node with its name. */
  readonly who: string
  readonly networks: readonly HostNetwork[]
}

/** Reads what a host reaches: this one, or a node as it reported last. */
export async function readReach(
  db: Kysely<Tables>,
  host: Pick<HostLinks, 'networks'>,
  nodeId: string | null,
): Promise<HostReach> {
  const own = new Set((await interfaceRowsOn(db, nodeId)).map(({ name }) => name))
  const node = nodeId === null ? undefined : await nodeReachRow(db, nodeId)
  const found = nodeId === null ? await host.networks() : networksIn(node?.reported_networks ?? null)
  return {
    who: nodeId === null ? 'this host' : `node ${node?.name ?? nodeId}`,
    networks: found.filter(({ device }) => !own.has(device)),
  }
}

const networksIn = (text: string | null): HostNetwork[] => (text === null ? [] : (parseJson(text) as HostNetwork[]))

/** Returns the network that a host reaches already and that shares addresses with this one. */
export const clashOf = ({ networks }: HostReach, wanted: string): HostNetwork | undefined =>
  networks.find(({ network }) => network.includes(':') === wanted.includes(':') && overlaps(network, wanted))
