import { z } from 'zod'
import { plainText } from '../envelope.ts'
import { InterfaceName } from '../interfaces/schema.ts'
import { maxForm } from '../tunnel-page/page-request.ts'
import { NodeState } from './node-state.ts'

/** Name in the certificate of the service for nodes. They know the service by it, whatever address it has. */
export const controlName = 'control.hearth.invalid'

/** Pause between two reports of a node, milliseconds. */
export const reportEveryMs = 30_000

/** Paths of the link between nodes and the service. A later version that older nodes do not understand has other paths. */
export const linkPaths = {
  join: '/v1/join',
  report: '/v1/report',
  state: '/v1/state',
  dns: '/v1/dns',
  queries: '/v1/queries',
  page: '/v1/page',
  /** Followed by the SHA-256 of a file, hex. */
  dnsFiles: '/v1/dns/files/',
} as const

/** Bytes of a request of the link, at most, and of an answer to it. A state has about 600 bytes for a peer. */
export const maxLinkBody = {
  join: 16_384,
  report: 1_048_576,
  state: 16_384,
  queries: 1_048_576,
  page: 65_536,
  answer: 33_554_432,
} as const

/** Longest time that a request for the state waits for another one, milliseconds. */
export const stateWaitMs = 25_000

/** Peers in one batch of traffic, and batches in one report, at most. */
export const maxTraffic = { peers: 2000, batches: 20 } as const

/** Queries in one batch, and characters of a name in it, at most. */
export const maxQueries = { entries: 2000, name: 340 } as const

/** Request of a host to become a node. Members that are not known are ignored, so that newer nodes can join. */
export const JoinRequest = z.object({
  token: plainText(128),
  certificate_request: plainText(4096),
  version: plainText(64),
})
export type JoinRequest = z.infer<typeof JoinRequest>

/** Identity that a host gets when it joins. */
export const JoinAnswer = z.object({ id: z.uuid(), name: z.string(), certificate: z.string() })
export type JoinAnswer = z.infer<typeof JoinAnswer>

/** Milliseconds since the epoch by the clock of the node. */
const time = z.int().min(0)
const bytes = z.int().min(0)

/** Traffic of peers in a span of time, counted by the node. */
export const TrafficBatch = z.object({
  /** Place in the order of the node's batches, from 1. The service counts each once. */
  number: z.int().min(1),
  /** End of the span. */
  at: time,
  peers: z
    .array(
      z.object({
        interface: plainText(15),
        public_key: plainText(44),
        /** Bytes in the span from the peer, and to it. */
        rx: bytes,
        tx: bytes,
        latest_handshake: time.nullable(),
        /** `address:port`. */
        endpoint: plainText(64).nullable(),
      }),
    )
    .max(maxTraffic.peers),
})
export type TrafficBatch = z.infer<typeof TrafficBatch>

const number = (most: number) => z.int().min(0).max(most)

/**
 * A query that the resolver of a node answered: time, number of the peer (0 for none), name in wire form (base64url), type, status,
 * reason, source, traits, response code, label of the upstream that answered (null for none), and microseconds. Numbers as in
 * `dns/policy/verdict.ts`.
 */
export const LoggedEntry = z.tuple([
  time,
  number(0x7fff_ffff),
  z
    .string()
    .max(maxQueries.name)
    .regex(/^[\w-]+$/),
  number(0xffff),
  number(1),
  number(7),
  number(0x7fff_ffff),
  number(0xff),
  number(0xff),
  plainText(300).nullable(),
  number(0xffff_ffff),
])
export type LoggedEntry = z.infer<typeof LoggedEntry>

/** Queries that the resolver of a node answered. */
export const QueryBatch = z.object({
  /** Names the count that the number belongs to. A node that lost its count begins another. */
  count: z.uuid(),
  /** Place in the order of the node's batches. Each later one has a greater number, and the service writes each once. */
  number: z.int().min(1),
  /** Now, by the clock of the node; the other times are corrected by it. */
  sent_at: time,
  entries: z.array(LoggedEntry).max(maxQueries.entries),
})
export type QueryBatch = z.infer<typeof QueryBatch>

/** Answer to queries: the number of the last batch that is written down. The node may forget it and those before. */
export const QueryBatchAnswer = z.object({ counted: z.int().min(0) })

/** How the resolver of a node is. */
export const NodeDnsReport = z.object({
  /** `off` while no interface needs it. */
  status: z.enum(['off', 'starting', 'running', 'failed']),
  /** By the clock of the node; null while it does not run. */
  started_at: time.nullable(),
  /** Since the node was started. */
  restarts: z.int().min(0),
  /** Lists that it works from, and different names on them. */
  lists: z.int().min(0),
  blocked_names: z.int().min(0),
  /** What is wrong, in words. */
  problem: plainText(300).nullable(),
  /** Queries that the service has not written down yet, and those that never will be, because there were too many. */
  log: z
    .object({
      waiting: z.int().min(0),
      lost: z.int().min(0),
      /** When the last ones were lost, by the clock of the node; older nodes do not say. */
      lost_at: time.nullable().optional(),
    })
    .optional(),
})
export type NodeDnsReport = z.infer<typeof NodeDnsReport>

/** Networks in a report, at most. */
export const maxNetworks = 500

/** A network that a node reaches over a device: by its own address there, or by a route. */
export const NodeNetwork = z.object({ network: z.union([z.cidrv4(), z.cidrv6()]), device: plainText(64) })
export type NodeNetwork = z.infer<typeof NodeNetwork>

/** A node says that it runs, and how. Older nodes send their version alone. */
export const Report = z.object({
  version: plainText(64),
  /** Another one with each start of the node's program: two that report by turns are two hosts. */
  instance: z.uuid().optional(),
  /** Now, by the clock of the node; the other times are corrected by it. */
  sent_at: time.optional(),
  /** The state that it runs; null without one. */
  revision: plainText(64).nullable().optional(),
  interfaces: z
    .array(
      z.object({
        name: plainText(15),
        status: z.enum(['up', 'down', 'error']),
        reason: plainText(300).nullable(),
        /** What keeps the page for its peers from listening; null when it listens. Left out without one, and by older nodes. */
        page: plainText(300).nullable().optional(),
      }),
    )
    .max(100)
    .optional(),
  /** The resolver of the node. Older nodes have none and say nothing. */
  dns: NodeDnsReport.optional(),
  /** Networks that it reaches in another way than over its interfaces; left out when they are those of the last report. */
  networks: z.array(NodeNetwork).max(maxNetworks).optional(),
  traffic: z
    .object({
      /** Names the count that the numbers belong to. A node that lost its count begins another. */
      count: z.uuid(),
      /** In their order; the first ones that the service did not confirm yet. */
      batches: z.array(TrafficBatch).max(maxTraffic.batches),
    })
    .optional(),
})
export type Report = z.infer<typeof Report>

/** Answer to a report. */
export const ReportAnswer = z.object({
  name: z.string(),
  /** Number of the last batch that is written down; the node may forget it and those before. Null when nothing was sent. */
  counted: z.int().min(0).nullable().optional(),
})
export type ReportAnswer = z.infer<typeof ReportAnswer>

/** A node asks for its state and names the one that it has. The answer comes when there is another, or after a while. */
export const StateRequest = z.object({ revision: plainText(64).nullable() })
export type StateRequest = z.infer<typeof StateRequest>

/** The wanted state, null when it is still the one that the node named. The revision is the SHA-256 of its text, hex. */
export const StateAnswer = z.object({ revision: z.string(), state: NodeState.nullable() })
export type StateAnswer = z.infer<typeof StateAnswer>

/** A request of a peer to the page of its interface, which came to a node. */
export const PageQuery = z.object({
  interface: InterfaceName,
  /** Where it came to, and the source address of its connection. */
  address: z.union([z.ipv4(), z.ipv6()]),
  from: z.union([z.ipv4(), z.ipv6()]),
  method: plainText(16),
  url: z.string().max(8192),
  hosts: z.array(z.string().max(512)).max(8),
  origin: z.string().max(512),
  site: z.string().max(32),
  content_type: z.string().max(256),
  body: z.string().max(maxForm),
})
export type PageQuery = z.infer<typeof PageQuery>

/** What the node is to answer. */
export const PageQueryAnswer = z.object({
  status: z.int().min(200).max(599),
  text: z.string(),
  headers: z.record(z.string(), z.string()),
})

/** An answer of the link other than success. */
export const LinkRefusal = z.object({ message: z.string() })
