import { z } from 'zod'
import type { Policy } from '../access-rules/policy/policy.ts'
import { InterfaceName } from '../interfaces/schema.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'
import type { PeerLimit } from '../wireguard/limit-text.ts'

const address = z.union([z.ipv4(), z.ipv6()])
const network = z.union([z.cidrv4(), z.cidrv6()])
/** A WireGuard key, base64. */
const key = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'is no WireGuard key')
const id = z.string().regex(/^[\w-]{1,64}$/)

/** An interface of a node as it is to run; a stopped one has no peers. `privateKey` and `presharedKey` are secrets. */
const NodeInterface = z.object({
  config: z.object({
    name: InterfaceName,
    privateKey: key,
    listenPort: z.int().min(1).max(65_535),
    addresses: z.array(network).min(1),
    mtu: z.int().min(1280).max(9000),
    routes: z.array(network),
  }),
  peers: z.array(z.object({ publicKey: key, presharedKey: key.nullable(), allowedIps: z.array(network) })),
  rules: z.object({
    name: InterfaceName,
    subnets: z.array(network).min(1),
    networks: z.array(network),
    nat: z.boolean(),
    forwarding: z.boolean(),
    isolated: z.array(address),
    /** The page for the peers of this interface. */
    page: z.object({ port: z.int().min(1).max(65_535), addresses: z.array(address) }).optional(),
  }),
  running: z.boolean(),
  /** New keys that wait among the peers, each with the key that it replaces when it is used. Older services do not say. */
  rotations: z.array(z.object({ from: key, to: key })).optional(),
  /** When peers expire, milliseconds since the epoch: they do so while the service is away, too. Older services do not say. */
  expiries: z.array(z.object({ publicKey: key, at: z.int() })).optional(),
}) satisfies z.ZodType<DesiredDevice>

/** Bandwidth of a peer. */
const NodeLimit = z.object({
  id,
  interface: InterfaceName,
  addresses: z.tuple([address], address),
  networks: z.array(network),
  down: z.number().positive().nullable(),
  up: z.number().positive().nullable(),
  isStopped: z.boolean(),
}) satisfies z.ZodType<PeerLimit>

const everybody = z.object({ kind: z.literal('everybody') })
const group = z.object({ kind: z.literal('group'), id })
const peer = z.object({ kind: z.literal('peer'), id })
const target = [
  z.object({ kind: z.literal('network'), network }),
  z.object({ kind: z.literal('internet') }),
  z.object({ kind: z.literal('gateway') }),
] as const
const port = z.int().min(0).max(65_535)

/** Access between the peers of a node. Names are left out: a node does not need them. */
const NodeAccess = z.object({
  interfaces: z.array(
    z.object({
      name: InterfaceName,
      networks: z.array(network),
      addresses: z.array(address),
      resolvers: z.array(address),
      forwarding: z.boolean(),
      otherwise: z.enum(['allow', 'deny']),
    }),
  ),
  peers: z.array(
    z.object({
      id,
      interface: InterfaceName,
      addresses: z.array(address),
      networks: z.array(network),
      tags: z.array(z.string()),
      isIsolated: z.boolean(),
    }),
  ),
  groups: z.array(z.object({ id, peers: z.array(id), tags: z.array(z.string()) })),
  rules: z.array(
    z.object({
      id,
      number: z.int().min(1),
      from: z.discriminatedUnion('kind', [everybody, group, peer]),
      to: z.discriminatedUnion('kind', [everybody, group, peer, ...target]),
      protocol: z.enum(['any', 'tcp', 'udp', 'icmp']),
      ports: z.array(z.tuple([port, port])),
      action: z.enum(['allow', 'deny']),
    }),
  ),
})
export type NodeAccess = z.infer<typeof NodeAccess>

/**
 * What a node is to run: its own interfaces with their peers, the bandwidth limits of these and the access rules that are about
 * them. It holds the private keys of the interfaces.
 */
export const NodeState = z.object({
  interfaces: z.array(NodeInterface),
  limits: z.array(NodeLimit),
  access: NodeAccess,
})
export type NodeState = z.infer<typeof NodeState>

/** Returns the access rules of a node for what puts them in force. */
export function policyOfNode({ interfaces, peers, groups, rules }: NodeAccess): Policy {
  return {
    interfaces,
    peers: new Map(peers.map((one) => [one.id, { ...one, name: one.id }])),
    groups: new Map(groups.map((one) => [one.id, { ...one, name: one.id, peers: new Set(one.peers) }])),
    rules,
  }
}
