import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { networksBehind } from '../interfaces/desired-devices.ts'
import { type NetworkOwnerRow, networkOwnerRows } from '../interfaces/store.ts'
import type { PeerRow, Tables } from '../tables.ts'

/** A peer as far as networks behind others concern it. */
type Routed = Pick<PeerRow, 'id' | 'interface' | 'routing_mode' | 'given_routes' | 'networks'>

/**
 * Peers whose device has a configuration with other networks than it should have, for a query: `given_routes` of every peer
 * without networks is compared with what its interface has, those with networks stand in a list.
 */
export interface OutdatedPeers {
  /** Fingerprints by the name of the interface; an interface that is not there has no networks. */
  readonly fingerprints: ReadonlyMap<string, string>
  /** Ids of outdated peers among those that have networks. */
  readonly owners: readonly string[]
}

/** Stands for no networks. */
const none = ''

/** Networks behind peers, as routes of the other peers of their interfaces. */
export class SiteRoutes {
  readonly #owners: ReadonlyMap<string, readonly NetworkOwnerRow[]>
  readonly #fingerprints = new Map<string, string>()

  private constructor(owners: readonly NetworkOwnerRow[]) {
    this.#owners = Map.groupBy(owners, (owner) => owner.interface)
    for (const [name, list] of this.#owners) this.#fingerprints.set(name, fingerprintOf(list.flatMap(networksBehind)))
  }

  /** Reads the networks behind all peers, of which there are few. */
  static async read(db: Kysely<Tables>): Promise<SiteRoutes> {
    return new SiteRoutes(await networkOwnerRows(db))
  }

  /** The networks behind the other peers of its interface, whether those may connect or not: a pause changes no configuration. */
  ofOthers(peer: Routed): string[] {
    const owners = this.#owners.get(peer.interface) ?? []
    return owners.filter(({ id }) => id !== peer.id).flatMap(networksBehind)
  }

  /** Stands for the networks of others that a configuration of the peer has now. */
  fingerprint(peer: Routed): string {
    if (peer.networks === null) return this.#fingerprints.get(peer.interface) ?? none
    return fingerprintOf(this.ofOthers(peer))
  }

  /** Returns true if the configuration that the peer was given last has other networks than one of now. */
  isOutdated(peer: Routed): boolean {
    const { routing_mode: mode, given_routes: given } = peer
    return mode === 'split_tunnel' && given !== null && given !== this.fingerprint(peer)
  }

  /** The outdated peers, as a query finds them. */
  outdated(): OutdatedPeers {
    const owners = [...this.#owners.values()].flat().filter((owner) => this.isOutdated(owner))
    return { fingerprints: this.#fingerprints, owners: owners.map(({ id }) => id) }
  }
}

function fingerprintOf(networks: readonly string[]): string {
  if (networks.length === 0) return none
  return createHash('sha256').update(networks.toSorted().join()).digest('base64')
}
