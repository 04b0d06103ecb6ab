import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { closedPolicyOfHost } from '../access-rules/policy/host-policy.ts'
import { isOpen } from '../access-rules/policy/policy.ts'
import { readPolicy } from '../access-rules/read-policy.ts'
import type { DesiredDevices } from '../interfaces/desired-devices.ts'
import type { PeerLimits } from '../limits/peer-limits.ts'
import type { Tables } from '../tables.ts'
import type { DesiredDevice } from '../wireguard/drift.ts'
import type { StateAnswer } from './link-schema.ts'
import type { NodeAccess, NodeState } from './node-state.ts'
import type { StateWaiters } from './state-waiters.ts'
import { waitForOther } from './wait-for-other.ts'

export interface WantedStatesDependencies {
  readonly db: Kysely<Tables>
  readonly desired: Pick<DesiredDevices, 'readOn'>
  readonly limits: Pick<PeerLimits, 'read'>
  readonly waiters: StateWaiters
}

/** What nodes are to run. It follows from the database whenever a node asks; nothing of it is stored. */
export class WantedStates {
  readonly #dependencies: WantedStatesDependencies

  constructor(dependencies: WantedStatesDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads the state of a node: its own interfaces, and what is about them. It holds private keys. */
  async read(nodeId: string): Promise<NodeState> {
    const { db, desired, limits } = this.#dependencies
    const devices = await desired.readOn(nodeId)
    const names = new Set(devices.map(({ config }) => config.name))
    if (names.size === 0)
      return { interfaces: [], limits: [], access: { interfaces: [], peers: [], groups: [], rules: [] } }
    return {
      interfaces: devices.map(interfaceOf),
      limits: (await limits.read(names)).toSorted(byId) as NodeState['limits'],
      access: await readAccess(db, names),
    }
  }

  /** Answers a node that has the state of this revision: at once when it is to have another, or after a wait. */
  async answer(nodeId: string, known: string | null, signal: AbortSignal): Promise<StateAnswer> {
    const found = await waitForOther(this.#dependencies.waiters, { nodeId, known, signal }, async () => {
      const state = await this.read(nodeId)
      return { revision: createHash('sha256').update(JSON.stringify(state)).digest('hex'), state }
    })
    return found.revision === known ? { revision: known, state: null } : found
  }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1)

const byKey = (a: { readonly publicKey: string }, b: { readonly publicKey: string }): number =>
  a.publicKey < b.publicKey ? -1 : 1

const byFrom = (a: { readonly from: string }, b: { readonly from: string }): number => (a.from < b.from ? -1 : 1)

/** The interface without what a node does not know, in an order that only changes with what it says. */
function interfaceOf({
  config,
  peers,
  rules,
  running,
  rotations = [],
  expiries = [],
}: DesiredDevice): NodeState['interfaces'][number] {
  const { name, subnets, networks, nat, forwarding, isolated, page } = rules
  return {
    config: { ...config, addresses: [...config.addresses], routes: config.routes.toSorted() },
    peers: peers
      .map(({ publicKey, presharedKey, allowedIps }) => ({ publicKey, presharedKey, allowedIps: [...allowedIps] }))
      .toSorted(byKey),
    rules: {
      name,
      subnets: [...subnets],
      networks: [...networks],
      nat,
      forwarding,
      isolated: isolated.toSorted(),
      ...(page === undefined ? {} : { page: { port: page.port, addresses: [...page.addresses] } }),
    },
    running,
    ...(rotations.length === 0 ? {} : { rotations: rotations.map(({ from, to }) => ({ from, to })).toSorted(byFrom) }),
    ...(expiries.length === 0
      ? {}
      : { expiries: expiries.map(({ publicKey, at }) => ({ publicKey, at })).toSorted(byKey) }),
  }
}

/** Reads the access rules about these interfaces, without the peers while nothing is ruled. */
async function readAccess(db: Kysely<Tables>, names: ReadonlySet<string>): Promise<NodeAccess> {
  const policy = closedPolicyOfHost(await readPolicy(db), (name) => names.has(name))
  const { interfaces, rules } = policy
  const peers = isOpen(policy) ? [] : [...policy.peers.values()].toSorted(byId)
  return {
    interfaces: interfaces.map((one) => ({
      name: one.name,
      forwarding: one.forwarding,
      otherwise: one.otherwise,
      networks: [...one.networks],
      addresses: [...one.addresses],
      resolvers: [...one.resolvers],
    })),
    peers: peers.map(({ id, interface: on, addresses, networks, isIsolated }) => ({
      id,
      interface: on,
      addresses: [...addresses],
      networks: [...networks],
      tags: [],
      isIsolated,
    })),
    groups: [...policy.groups.values()].toSorted(byId).map(({ id, peers: members }) => ({
      id,
      peers: [...members].toSorted(),
      tags: [],
    })),
    rules: rules.map(({ id, number, from, to, protocol, ports, action }) => {
      return { id, number, from, to, protocol, action, ports: ports.map(([first, last]) => [first, last]) }
    }),
  }
}
