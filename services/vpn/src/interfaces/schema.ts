import { z } from 'zod'
import { pageQuery, plainText, splitList, Timestamp, wholeNumber } from '../envelope.ts'

/** A Linux interface name: a letter, then letters, digits, `-` and `_`; names with their own meaning are refused. */
export const InterfaceName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,14}$/, 'must start with a letter and have at most 15 letters, digits, "-" or "_"')
  .refine((name) => !['all', 'default', 'lo'].includes(name.toLowerCase()), 'is a reserved name')

const listenPort = z.int().min(1).max(65_535)
const mtu = z.int().min(1280).max(9000)

/** True for a comma-separated list of at most four IP addresses, or for nothing. */
function isResolverList(text: string): boolean {
  if (text.trim() === '') return true
  const parts = text.split(',').map((part) => part.trim())
  return parts.length <= 4 && parts.every((part) => z.union([z.ipv4(), z.ipv6()]).safeParse(part).success)
}

/** Resolver addresses in one comma-separated string, at most four; empty for the resolver of this service. */
export const ResolverList = z
  .string()
  .max(200)
  .refine(isResolverList, 'must be a comma-separated list of at most four IP addresses')
  .meta({
    description: 'Comma-separated resolver addresses, at most four; empty for the resolver of this service',
    examples: ['1.1.1.1, 9.9.9.9'],
  })

const allowHostOverlap = z.boolean().optional().meta({
  description: 'Take the network although its host reaches it over another device, and would lose its way there',
})

const nodeId = z.uuid().nullable().optional()

export const InterfaceStatus = z.enum(['active', 'inactive', 'error'])

export const Interface = z
  .object({
    name: z.string(),
    address: z.string().meta({ description: 'IPv4 address of this host on the tunnel, with prefix' }),
    address6: z.string().nullable().meta({ description: 'IPv6 address with prefix, or null' }),
    listen_port: z.int().min(1).max(65_535),
    dns: z.string(),
    mtu: z.int().min(1280).max(9000),
    nat: z.boolean().meta({ description: 'Masquerade what peers send to other networks' }),
    forwarding: z.boolean().meta({ description: 'Peers may reach other networks and other peers' }),
    enabled: z.boolean(),
    node: z
      .object({ id: z.uuid(), name: z.string() })
      .nullable()
      .meta({ description: 'The node that runs it; null for the host of this service' }),
    standby: z
      .object({ id: z.uuid(), name: z.string(), status: InterfaceStatus, status_reason: z.string().nullable() })
      .nullable()
      .meta({
        description:
          'A node that runs the same interface, too: a peer that does not reach the other host connects there with its second configuration',
      }),
    status: InterfaceStatus,
    status_reason: z.string().nullable().meta({ description: 'Why the status is "error", or what it waits for' }),
    public_key: z.string(),
    peer_count: wholeNumber,
    connected_peers: wholeNumber,
    transfer_rx: wholeNumber.meta({ description: 'Bytes received from all peers, cumulative' }),
    transfer_tx: wholeNumber.meta({ description: 'Bytes sent to all peers, cumulative' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Interface' })
export type Interface = z.infer<typeof Interface>

/** An interface to create. */
export const InterfaceCreate = z
  .strictObject({
    name: InterfaceName,
    address: z
      .cidrv4()
      .meta({ description: 'Address of this host on the tunnel, prefix 8 to 30', examples: ['10.8.0.1/24'] }),
    address6: z
      .cidrv6()
      .nullable()
      .optional()
      .meta({ examples: ['fd13:13:13::1/64'] }),
    listen_port: listenPort.optional().meta({ description: 'UDP port; the first free one from 51820 when left out' }),
    dns: ResolverList.optional(),
    mtu: mtu.optional(),
    nat: z.boolean().optional(),
    forwarding: z.boolean().optional(),
    enabled: z.boolean().optional().meta({ description: 'Start it at once (default)' }),
    node_id: nodeId.meta({
      description: 'The node that is to run it; null, or left out, for the host of this service',
    }),
    standby_node_id: nodeId.meta({ description: 'A node that is to run it, too; null, or left out, for none' }),
    allow_host_overlap: allowHostOverlap,
  })
  .meta({ id: 'InterfaceCreate' })
export type InterfaceCreate = z.infer<typeof InterfaceCreate>

export const InterfaceUpdate = z
  .strictObject({
    name: InterfaceName.optional().meta({ description: 'The name cannot change; the present one is accepted' }),
    address: z.cidrv4().optional(),
    address6: z.cidrv6().nullable().optional(),
    listen_port: listenPort.optional(),
    dns: ResolverList.optional(),
    mtu: mtu.optional(),
    nat: z.boolean().optional(),
    forwarding: z.boolean().optional(),
    enabled: z.boolean().optional(),
    node_id: nodeId.meta({
      description:
        'Move it to this node, or with null to the host of this service. It keeps its keys; peers reach it there',
    }),
    standby_node_id: nodeId.meta({
      description: 'A node that is to run it, too, with the same keys and peers; null for none',
    }),
    allow_host_overlap: allowHostOverlap,
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'InterfaceUpdate' })
export type InterfaceUpdate = z.infer<typeof InterfaceUpdate>

export const InterfaceParams = z.object({ name: plainText(64).min(1) })
export const InterfaceListQuery = z.strictObject(pageQuery(100))

/** Result of deleting an interface. */
export const InterfaceDeleted = z
  .object({ name: z.string(), deleted_peers: wholeNumber })
  .meta({ id: 'InterfaceDeleted' })

/** A free network and port for the next interface. */
export const InterfaceProposal = z
  .object({
    name: z.string(),
    address: z.string(),
    address6: z.string(),
    listen_port: z.int().min(1).max(65_535),
    dns: z.string(),
    mtu: z.int(),
  })
  .meta({ id: 'InterfaceProposal' })
export type InterfaceProposal = z.infer<typeof InterfaceProposal>

/** A list of resolvers in the one form it is stored and shown: addresses divided by a comma and a blank. */
export function normaliseResolvers(text: string): string {
  return splitList(text).join(', ')
}
