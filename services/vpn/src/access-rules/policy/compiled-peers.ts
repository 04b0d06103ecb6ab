import { networkOf } from '../../wireguard/network-address.ts'
import { familyOf, Memberships, type Policy } from './policy.ts'
import { checked, type Family, type NamedSet, withoutCovered } from './ruleset-parts.ts'

/** Peers that are in the same groups, or one that a rule names. */
export interface PeerClass {
  /** Ids of the groups, in order; with the id of the peer that a rule names. */
  readonly subjects: readonly string[]
  /** Ids. */
  readonly peers: readonly string[]
}

type Members = Pick<Policy, 'peers' | 'groups'>

/**
 * What a compiled policy needs of its peers and groups. It is made once for them, whatever the rules are: a change of a rule among
 * ten thousand peers costs what the rule touches.
 */
export class CompiledPeers {
  /** Peers by the groups that they are in; those in none are left out. */
  readonly classes: readonly PeerClass[]
  readonly memberships: Memberships
  readonly #of: Members
  readonly #classOf = new Map<string, PeerClass>()
  readonly #named = new Map<string, PeerClass>()
  readonly #sets = new Map<string, NamedSet>()

  constructor(policy: Members) {
    this.#of = policy
    this.memberships = new Memberships(policy)
    const classes = new Map<string, { subjects: string[]; peers: string[] }>()
    for (const id of policy.peers.keys()) {
      const subjects = [...this.memberships.groupsOf(id)].sort()
      if (subjects.length === 0) continue
      const key = subjects.join()
      const known = classes.get(key) ?? { subjects, peers: [] }
      known.peers.push(id)
      classes.set(key, known)
      this.#classOf.set(id, known)
    }
    this.classes = [...classes.values()]
  }

  /** True when it was made for these peers and groups: the very same values, which are replaced when they change. */
  isOf({ peers, groups }: Members): boolean {
    return this.#of.peers === peers && this.#of.groups === groups
  }

  /** The class of all peers in the same groups as this one; undefined when it is in none. */
  classOf(peer: string): PeerClass | undefined {
    return this.#classOf.get(peer)
  }

  /** The class of one peer that a rule names; undefined when it is not there. */
  named(peer: string): PeerClass | undefined {
    if (!this.#of.peers.has(peer)) return undefined
    const subjects = [peer, ...(this.classOf(peer)?.subjects ?? [])]
    const made = this.#named.get(peer) ?? { subjects, peers: [peer] }
    this.#named.set(peer, made)
    return made
  }

  addresses(peer: string, { number }: Family): string[] {
    const addresses = this.#of.peers.get(peer)?.addresses ?? []
    return addresses.filter((address) => familyOf(address) === number).map(checked)
  }

  networks(peer: string, { number }: Family): string[] {
    const networks = this.#of.peers.get(peer)?.networks ?? []
    return networks.filter((network) => familyOf(network) === number).map(networkOf)
  }

  /** The addresses of a group's members as a set, and the networks behind them when there are any. */
  group(id: string, family: Family): { readonly own: NamedSet; readonly networks: NamedSet | undefined } {
    const members = [...this.memberships.members(id)]
    const own = this.#kept(`own ${id} ${family.number}`, () => ({
      kind: 'set',
      type: family.type,
      flags: [],
      elements: new Map(members.flatMap((peer) => this.addresses(peer, family)).map((each) => [each, ''])),
    }))
    const networks = this.intervals(`networks ${id} ${family.number}`, family, () =>
      members.flatMap((peer) => this.networks(peer, family)),
    )
    return { own, networks: networks.elements.size === 0 ? undefined : networks }
  }

  /** A set of networks, of which those within another are left out; made once for a key. */
  intervals(key: string, { type }: Family, networks: () => readonly string[]): NamedSet {
    return this.#kept(key, () => ({
      kind: 'set',
      type,
      flags: ['flags interval'],
      elements: new Map(withoutCovered(networks()).map((network) => [network, ''])),
    }))
  }

  #kept(key: string, make: () => NamedSet): NamedSet {
    const known = this.#sets.get(key) ?? make()
    this.#sets.set(key, known)
    return known
  }
}
