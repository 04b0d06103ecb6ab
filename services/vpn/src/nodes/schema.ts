import { z } from 'zod'
import { idText, plainText, Timestamp } from '../envelope.ts'
import { PublicEndpoint } from '../settings/schema.ts'

const lines = /[\p{Cc}\p{Zl}\p{Zp}]/u

const nodeName = plainText(64)
  .refine((text) => !lines.test(text), 'must not contain control characters')
  .trim()
  .min(1)
  .meta({ examples: ['Berlin'] })

const expiresInHours = z
  .int()
  .min(1)
  .max(168)
  .default(24)
  .meta({ description: 'Hours that the join token works, at most 7 days' })

/** The resolver of a node as it was when the node reported last. */
const NodeDnsStatus = z
  .object({
    status: z.enum(['off', 'starting', 'running', 'failed']).meta({
      description: '`off` while no interface needs it; `failed` when it ended and is started again',
    }),
    started_at: Timestamp.nullable().meta({ description: 'By the clock of the node; null while it does not run' }),
    restarts: z.int().meta({ description: 'Since the node was started' }),
    lists: z.int().meta({ description: 'Block lists that it works from' }),
    blocked_names: z.int().meta({ description: 'Different names on them' }),
    problem: z.string().nullable().meta({ description: 'What is wrong, in words' }),
    log: z
      .object({
        waiting: z.int().meta({ description: 'Queries that it keeps until this service has them' }),
        lost: z.int().meta({ description: 'Queries that it could not keep so long, because there were too many' }),
        lost_at: Timestamp.nullable().meta({
          description: 'When that happened last, by the clock of the node; null when it did not, or is not known',
        }),
      })
      .nullable()
      .meta({ description: 'Its queries for the query log; null for an older version of Hearth, which logs none' }),
  })
  .meta({ id: 'NodeDnsStatus' })

/** A host that runs tunnels for this service. */
export const Node = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z.enum(['waiting', 'connected', 'lost']).meta({
      description: '`waiting` until it joins; `lost` when it was not heard of for 90 seconds',
    }),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: 'User name; null for the command line' }),
    joined_at: Timestamp.nullable(),
    last_seen_at: Timestamp.nullable(),
    address: z.string().nullable().meta({ description: 'Address that its last report came from' }),
    version: z.string().nullable().meta({ description: 'Version of Hearth that it runs' }),
    endpoint: z.string().nullable().meta({
      description: 'Host name or address of it in the configurations of peers; null for the address of its last report',
    }),
    interfaces: z.array(z.string()).meta({ description: 'Names of the interfaces that it is to run' }),
    standby_interfaces: z.array(z.string()).meta({ description: 'Names of the interfaces that it runs as a standby' }),
    dns: NodeDnsStatus.nullable().meta({
      description: 'Its resolver; null before the first report, and for an older version of Hearth, which has none',
    }),
    duplicate_addresses: z.array(z.string()).nullable().meta({
      description:
        'Addresses of two hosts that report by turns as this node, because its files were copied; null for one host',
    }),
    join_token_expires_at: Timestamp.nullable().meta({ description: 'Null when no join token waits to be used' }),
  })
  .meta({ id: 'Node' })
export type Node = z.infer<typeof Node>

/** All nodes, by name. */
export const NodeList = z
  .object({
    enabled: z.boolean().meta({ description: 'False until `VPN_NODES_LISTEN` names an address to listen at' }),
    nodes: z.array(Node),
  })
  .meta({ id: 'NodeList' })
export type NodeList = z.infer<typeof NodeList>

/** A node to add. */
export const NodeCreate = z
  .strictObject({ name: nodeName, expires_in_hours: expiresInHours })
  .meta({ id: 'NodeCreate' })
export type NodeCreate = z.infer<typeof NodeCreate>

/** Changes of a node; members that are left out stay. */
export const NodeUpdate = z
  .strictObject({
    name: nodeName.optional(),
    endpoint: PublicEndpoint.min(1)
      .nullable()
      .optional()
      .meta({
        description:
          'Host name or address at which peers reach it, without port; null for the address of its last report. With a host name peers need no new configuration when the address changes',
        examples: ['berlin.example.org'],
      }),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'NodeUpdate' })
export type NodeUpdate = z.infer<typeof NodeUpdate>

/** Lifetime of a new join token. */
export const NodeJoinTokenCreate = z
  .strictObject({ expires_in_hours: expiresInHours })
  .meta({ id: 'NodeJoinTokenCreate' })
export type NodeJoinTokenCreate = z.infer<typeof NodeJoinTokenCreate>

/** What a host needs to join as a node. */
export const NodeJoin = z
  .object({
    node: Node,
    token: z.string().meta({ description: 'A secret, shown this once: whoever uses it first is the node' }),
    url: z.string().meta({ description: 'Address at which nodes reach this service' }),
    command: z.string().meta({ description: 'Command for the host; it reads the token from standard input' }),
  })
  .meta({ id: 'NodeJoin' })
export type NodeJoin = z.infer<typeof NodeJoin>

export const NodeParams = z.object({ id: idText })
