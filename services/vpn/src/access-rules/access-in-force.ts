import { createKeyedQueue, type Log } from '@hearth/runtime'
import type { Database } from '@hearth/database'
import type { Kysely } from 'kysely'
import type { Placement } from '../interfaces/placement.ts'
import type { Tables } from '../tables.ts'
import { policyOfHost } from './policy/host-policy.ts'
import { isOpen, type Policy, type PolicyPeer } from './policy/policy.ts'
import type { AccessTable } from './policy/table.ts'
import { policyOf, policyPeer, readFrame, readRules, type PolicyFrame } from './read-policy.ts'
import { accessPeerRows, type AccessPeerRow } from './store.ts'

/** A peer before and after a change; undefined when it was not, or will not be, there. */
interface AccessTransition {
  readonly before: AccessPeerRow | undefined
  readonly after: AccessPeerRow | undefined
}

export interface AccessDependencies {
  readonly database: Database<Tables>
  readonly table: AccessTable
  readonly placement: Pick<Placement, 'find' | 'isHere' | 'isAllHere' | 'allChanged'>
  readonly log: Log
}

const noFrame: PolicyFrame = { interfaces: [], groups: new Map(), rows: [], groupRows: [] }
const nobody: ReadonlyMap<string, PolicyPeer> = new Map()

/**
 * What the database says of access is what the kernel keeps to. Changes come one after another. While nothing is ruled, the
 * peers are not held: most hosts have no rules, and ten thousand peers cost nothing then. The kernel of this host gets what is
 * about its own interfaces; nodes are notified, and get the rest.
 */
export class AccessInForce {
  readonly #dependencies: AccessDependencies
  readonly #queue = createKeyedQueue(1000)
  #frame = noFrame
  /** Undefined while the policy is open. */
  #peers: ReadonlyMap<string, PolicyPeer> | undefined
  #isRead = false

  constructor(dependencies: AccessDependencies) {
    this.#dependencies = dependencies
  }

  /** The id of the node that runs an interface; null for this host. */
  nodeOf(name: string): string | null {
    return this.#dependencies.placement.find(name)?.nodeId ?? null
  }

  /** The policy in force. Inside a transaction it is read there. */
  async policy(db: Kysely<Tables> = this.#dependencies.database.query): Promise<Policy> {
    return policyOf(this.#frame, this.#peers ?? (await readPeers(db)))
  }

  /** Reads everything and puts it in force. A failure is logged; the check of the tunnels tries again. */
  async reload(): Promise<void> {
    const { database, table, log } = this.#dependencies
    try {
      await this.#withLock(async () => {
        this.#frame = await readFrame(database.query)
        this.#peers = isOpenFrame(this.#frame) ? undefined : await readPeers(database.query)
        this.#isRead = true
        await table.replace(this.#here(policyOf(this.#frame, this.#peers ?? nobody)))
      })
      this.#dependencies.placement.allChanged()
    } catch (error) {
      log.error({ err: error }, 'the access rules could not be put in force')
    }
  }

  /**
   * Changes groups, rules or defaults in the database and in the kernel, or in neither. Throws a `DeviceError` for the kernel. With
   * `rules` the change is about rules and defaults alone: groups and peers are then not read, and stay compiled.
   */
  change<T>(work: (trx: Kysely<Tables>) => Promise<T>, of: 'everything' | 'rules' = 'everything'): Promise<T> {
    const { database, table, placement } = this.#dependencies
    return this.#withLock(async () => {
      const before = policyOf(this.#frame, this.#peers ?? nobody)
      let isApplied = false
      try {
        const { result, frame, peers } = await database.query.transaction().execute(async (trx) => {
          const changed = await work(trx)
          const read = of === 'rules' && this.#isRead ? await readRules(trx, this.#frame) : await readFrame(trx)
          const held = isOpenFrame(read) ? undefined : (this.#peers ?? (await readPeers(trx)))
          await table.apply(this.#here(policyOf(read, held ?? nobody)))
          isApplied = true
          return { result: changed, frame: read, peers: held }
        })
        this.#frame = frame
        this.#peers = peers
        placement.allChanged()
        return result
      } catch (error) {
        if (isApplied) await table.apply(this.#here(before))
        throw error
      }
    })
  }

  /**
   * Runs a change of peers on their device. Addresses that come are judged before it and those that go until after it, so
   * that no packet passes as an unknown peer's; on failure everything is as before. Throws a `DeviceError`.
   */
  async during<T>(transitions: readonly AccessTransition[], work: () => Promise<T>): Promise<T> {
    const before = new Map(
      transitions.flatMap(({ before: row }) => (row === undefined ? [] : [[row.id, policyPeer(row)]])),
    )
    const after = new Map(
      transitions.flatMap(({ after: row }) => (row === undefined ? [] : [[row.id, policyPeer(row)]])),
    )
    const ids = new Set([...before.keys(), ...after.keys()])
    const both = [...ids].flatMap((id) => joined(before.get(id), after.get(id)))
    await this.#exchange(ids, both)
    try {
      const result = await work()
      await this.#exchange(ids, [...after.values()])
      return result
    } catch (error) {
      await this.#exchange(ids, [...before.values()]).catch(() => undefined)
      throw error
    }
  }

  /** Takes over that peers were deleted, with the rules that named them. */
  async peersDeleted(ids: readonly string[]): Promise<void> {
    const gone = new Set(ids.filter((id) => this.#peers?.has(id) !== true))
    const isNamed = this.#frame.rows.some(
      ({ from_peer: from, to_peer: to }) => (from !== null && gone.has(from)) || (to !== null && gone.has(to)),
    )
    if (isNamed) await this.reload()
  }

  /** Puts other peers in the place of those with the ids. While the policy is open there is nothing to do. */
  async #exchange(ids: ReadonlySet<string>, peers: readonly PolicyPeer[]): Promise<void> {
    await this.#withLock(async () => {
      const all = this.#peers
      if (all === undefined) return
      const held = [...ids].flatMap((id) => all.get(id) ?? [])
      if (isSame(held, peers)) return
      const next = withPeers(all, ids, peers)
      await this.#dependencies.table.apply(this.#here(policyOf(this.#frame, next)))
      this.#peers = next
    })
  }

  /** The part of a policy that is about this host. */
  #here(policy: Policy): Policy {
    const { placement } = this.#dependencies
    return placement.isAllHere ? policy : policyOfHost(policy, (name) => placement.isHere(name))
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('access', work)
  }
}

/** True when nothing is decided differently than without rules, whoever the peers are. */
const isOpenFrame = (frame: PolicyFrame): boolean => isOpen(policyOf(frame, nobody))

async function readPeers(db: Kysely<Tables>): Promise<Map<string, PolicyPeer>> {
  return new Map((await accessPeerRows(db)).map((row) => [row.id, policyPeer(row)]))
}

/** Other peers in the place of those with the ids. What is compiled belongs to the very map, so the known one stays as it is. */
function withPeers(
  all: ReadonlyMap<string, PolicyPeer>,
  ids: ReadonlySet<string>,
  peers: readonly PolicyPeer[],
): ReadonlyMap<string, PolicyPeer> {
  const next = new Map(all)
  for (const id of ids) next.delete(id)
  for (const peer of peers) next.set(peer.id, peer)
  return next
}

/** A peer as it will be, with the addresses that it has now. */
function joined(before: PolicyPeer | undefined, after: PolicyPeer | undefined): PolicyPeer[] {
  const last = after ?? before
  if (last === undefined) return []
  const both = (of: (peer: PolicyPeer) => readonly string[]) => [
    ...new Set([before, after].flatMap((peer) => (peer === undefined ? [] : of(peer)))),
  ]
  return [{ ...last, addresses: both((peer) => peer.addresses), networks: both((peer) => peer.networks) }]
}

function isSame(one: readonly PolicyPeer[], other: readonly PolicyPeer[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
