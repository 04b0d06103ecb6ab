import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import { numberedLabel, peerLabel } from './peer-label.ts'
import { allPeerNameRows, deletePeerNames, putPeerNames } from './store.ts'

/** A peer that gets a label. */
interface NamedPeer {
  readonly id: string
  readonly name: string
}

/** The name of the page for peers, `my.vpn`; a peer that had it before keeps it. */
export const pageLabel = 'my'

interface Given {
  /** The label that the name makes. */
  readonly base: string
  /** The label it has: the same, or with a number when another peer has that. */
  readonly label: string
}

/** The labels by which peers are found in DNS. A peer keeps its label until it is renamed, whatever happens to others. */
export class PeerNames {
  readonly #db: Kysely<Tables>
  readonly #byId = new Map<string, Given>()
  readonly #taken = new Set<string>()
  #isRead = false

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** The label of a peer; null for one whose name makes none. */
  labelOf(id: string): string | null {
    return this.#byId.get(id)?.label ?? null
  }

  /** Gives labels to peers that are new or renamed, in their order; those of peers that are gone are free again. */
  async follow(peers: readonly NamedPeer[], gone: readonly string[]): Promise<void> {
    await this.#read()
    const left = gone.filter((id) => this.#free(id))
    const given: { peer_id: string; base: string; label: string }[] = []
    for (const { id, name } of peers) {
      const base = peerLabel(name)
      const known = this.#byId.get(id)
      if (known?.base === base) continue
      if (this.#free(id)) left.push(id)
      if (base === undefined) continue
      const label = this.#firstFree(base)
      this.#take(id, { base, label })
      given.push({ peer_id: id, base, label })
    }
    if (left.length > 0) await deletePeerNames(this.#db, left)
    if (given.length > 0) await putPeerNames(this.#db, given)
  }

  async #read(): Promise<void> {
    if (this.#isRead) return
    for (const { peer_id: id, base, label } of await allPeerNameRows(this.#db)) this.#take(id, { base, label })
    this.#isRead = true
  }

  #firstFree(base: string): string {
    for (let number = 1; ; number++) {
      const label = numberedLabel(base, number)
      if (!this.#taken.has(label) && label !== pageLabel) return label
    }
  }

  #take(id: string, given: Given): void {
    this.#byId.set(id, given)
    this.#taken.add(given.label)
  }

  #free(id: string): boolean {
    const known = this.#byId.get(id)
    if (known === undefined) return false
    this.#taken.delete(known.label)
    return this.#byId.delete(id)
  }
}
