import type { CompiledPeers, PeerClass } from './compiled-peers.ts'
import type { Family, NamedSet } from './ruleset-parts.ts'

/** Chains of the classes of peers that more than the rules for everybody speak of. */
export type ChainOf = ReadonlyMap<PeerClass, string>

type Elements = NamedSet['elements']

const none: Elements = new Map()

/**
 * The maps from the addresses of sources, and from the networks behind them, to their chains. The next ones are made of the last:
 * only the peers whose chain is another one are touched, and a map in which nothing differs is the very same.
 */
export class SourceMaps {
  #peers: CompiledPeers | undefined
  #chains: ChainOf = new Map()
  #elements = none
  #networks = none

  compile(peers: CompiledPeers, family: Family, chains: ChainOf): { elements: Elements; networks: Elements } {
    if (this.#peers !== peers) {
      this.#chains = new Map()
      this.#elements = this.#networks = none
    }
    const before = this.#chains
    const changed = [...new Set([...before.keys(), ...chains.keys()])].filter(
      (one) => before.get(one) !== chains.get(one),
    )
    this.#peers = peers
    this.#chains = chains
    if (changed.length > 0) this.#change(family, changed)
    return { elements: this.#elements, networks: this.#networks }
  }

  #change(family: Family, changed: readonly PeerClass[]): void {
    const peers = this.#peers
    if (peers === undefined) return
    const next = { elements: new Map(this.#elements), networks: new Map(this.#networks) }
    const touched = new Set(changed.flatMap((one) => one.peers))
    for (const id of touched) {
      // A rule that names the peer itself comes on top of those of its groups.
      const own = peers.named(id)
      const chain = (own && this.#chains.get(own)) ?? this.#chains.get(peers.classOf(id) ?? nobody)
      put(next.elements, peers.addresses(id, family), chain)
      put(next.networks, peers.networks(id, family), chain)
    }
    this.#elements = next.elements
    this.#networks = next.networks
  }
}

const nobody: PeerClass = { subjects: [], peers: [] }

function put(elements: Map<string, string>, keys: readonly string[], chain: string | undefined): void {
  for (const key of keys)
    if (chain === undefined) elements.delete(key)
    else elements.set(key, `goto ${chain}`)
}
