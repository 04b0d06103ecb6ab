import type { UploadedMaterial } from '../certificates/uploads/uploaded-material.ts'
import type { KnownNode, Nodes } from '../deploy/nodes/nodes.ts'
import type { ReadOptions } from './config/site-reading.ts'

/** Returns how the configuration of a node is read. */
export function readOptionsOf({ capabilities, row }: Pick<KnownNode, 'capabilities' | 'row'>): ReadOptions {
  const isNewest = capabilities !== undefined && Object.values(capabilities).every(Boolean)
  return {
    sendsOwnHostToSecureUpstreams: isNewest,
    ports: { http: row.http_port, https: row.https_port },
    bind: JSON.parse(row.bind) as string[],
  }
}

/** Returns how a configuration of this service is read back from a node: with the authorities that were uploaded here. */
export function ownReadOptions(node: KnownNode | undefined, material: UploadedMaterial): ReadOptions {
  const authorities = new Map([...material.authorityIds()].map((id) => [material.authority(id)?.join(' '), id]))
  return {
    ...(node === undefined ? {} : readOptionsOf(node)),
    authorityOf: (certificates) => authorities.get(certificates.join(' ')),
  }
}

/** Reads the configuration a node runs, and how to read it; undefined for an unknown node. Rejects when it does not answer. */
export async function readNode(
  nodes: Pick<Nodes, 'get' | 'inspect'>,
  id: number,
): Promise<{ config: unknown; options: ReadOptions } | undefined> {
  const node = await nodes.get(id)
  if (node === undefined) return undefined
  const { config } = await nodes.inspect(id)
  return { config, options: readOptionsOf(node) }
}
