import { toIsoString, type Clock, parseJson } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { PlacedInterface, Placement } from '../interfaces/placement.ts'
import type { Tables } from '../tables.ts'
import type { TunnelState } from '../wireguard/tunnel-controller.ts'
import type { Report } from './link-schema.ts'
import type { Node } from './schema.ts'
import { allNodeRows } from './store.ts'
import type { NodeRow } from './tables.ts'

/** A node is lost when nothing was heard of it for so long, milliseconds: three reports. */
export const lostAfterMs = 90_000

/** Time in which a node takes over what it is to run, milliseconds; until then it waits for that without being in error. */
const takeoverMs = 60_000

const Reported = z.array(
  z.object({
    name: z.string(),
    status: z.enum(['up', 'down', 'error']),
    reason: z.string().nullable(),
    page: z.string().nullable().optional(),
  }),
)
type Reported = z.infer<typeof Reported>

/** The column for what a node reported of its interfaces; null for one that speaks of none. */
export const reportedColumn = ({ interfaces }: Pick<Report, 'interfaces'>): string | null =>
  interfaces === undefined ? null : JSON.stringify(interfaces)

/** Status of a node at a time; `startedAt` is when this service began, before which it heard of nobody. */
export function nodeStatus(
  { fingerprint, last_seen_at: seenAt }: Pick<NodeRow, 'fingerprint' | 'last_seen_at'>,
  { now, startedAt }: { readonly now: number; readonly startedAt: number },
): Node['status'] {
  if (fingerprint === null) return 'waiting'
  // After a start every node gets its time to report.
  return now - Math.max(seenAt ?? 0, startedAt) > lostAfterMs ? 'lost' : 'connected'
}

type KnownNode = Pick<NodeRow, 'name' | 'fingerprint' | 'last_seen_at'> & {
  readonly interfaces: Reported | undefined
}

/** Creates the check of whether an interface on a node has another state than at the last check: some change with time alone. */
export function createStateWatch(placement: Pick<Placement, 'all'>, statuses: Pick<NodeStatuses, 'stateOf'>) {
  const read = () => JSON.stringify(Array.from(placement.all(), (one) => [one.name, statuses.stateOf(one)]))
  let last = read()
  return (): boolean => {
    const before = last
    last = read()
    return last !== before
  }
}

/** What nodes reported last, in memory: the state of each interface on a node follows from it. */
export class NodeStatuses {
  readonly #db: Kysely<Tables>
  readonly #clock: Pick<Clock, 'now'>
  readonly #startedAt: number
  #nodes: ReadonlyMap<string, KnownNode> = new Map()

  constructor({ db, clock }: { readonly db: Kysely<Tables>; readonly clock: Pick<Clock, 'now'> }) {
    this.#db = db
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** Reads the nodes again; to be called after each change and report. */
  async reload(): Promise<void> {
    const rows = await allNodeRows(this.#db)
    this.#nodes = new Map(rows.map((row) => [row.id, { ...row, interfaces: interfacesOf(row) }]))
  }

  /** Returns true for a node that was there when the nodes were read last. */
  has(nodeId: string): boolean {
    return this.#nodes.has(nodeId)
  }

  /** State of an interface on a node. */
  stateOf({ name, nodeId, isEnabled, since }: PlacedInterface): TunnelState {
    if (!isEnabled) return { status: 'down', reason: null }
    const node = this.#nodes.get(nodeId)
    if (node === undefined) return { status: 'error', reason: 'its node is not known' }
    const now = this.#clock.now()
    const status = nodeStatus(node, { now, startedAt: this.#startedAt })
    if (status === 'waiting') return { status: 'error', reason: `node ${node.name} has not joined yet` }
    if (status === 'lost')
      return {
        status: 'error',
        reason: `node ${node.name} is lost since ${toIsoString(node.last_seen_at) ?? 'its start'}`,
      }
    const reported = node.interfaces?.find((one) => one.name === name)
    if (reported?.status === 'up') return { status: 'up', reason: null }
    if (reported?.status === 'error')
      return { status: 'error', reason: `node ${node.name}: ${reported.reason ?? 'no reason is known'}` }
    const isWaiting = now - Math.max(since, this.#startedAt) <= takeoverMs
    return { status: isWaiting ? 'down' : 'error', reason: waitsFor(node) }
  }

  /** What keeps the page for the peers of an interface on a node from listening; null when it listens. */
  pageErrorOf(placed: PlacedInterface): string | null {
    const { status, reason } = this.stateOf(placed)
    if (status !== 'up') return reason ?? 'the interface does not run'
    const node = this.#nodes.get(placed.nodeId)
    const page = node?.interfaces?.find(({ name }) => name === placed.name)?.page
    if (page === undefined) return `node ${node?.name} has no page yet: wait a minute, or update Hearth there`
    return page === null ? null : `node ${node?.name}: ${page}`
  }
}

const waitsFor = ({ name, interfaces }: KnownNode): string =>
  interfaces === undefined
    ? `node ${name} does not run interfaces yet: start it there, or update Hearth`
    : `node ${name} has not taken this over yet`

function interfacesOf({ reported }: Pick<NodeRow, 'reported'>): Reported | undefined {
  return reported === null ? undefined : Reported.safeParse(parseJson(reported)).data
}
