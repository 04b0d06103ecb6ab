import { buildClientTable, changeClientTable } from '../dns/policy/client-table-memory.ts'
import { audiencesOf } from '../dns/policy/conditional-rules.ts'
import type { ListBundle } from '../dns/policy/list-bundle.ts'
import type { ClientsChange } from './messages.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'

/** Parts of the compiled lists that clients are compared with. */
export type BundleFacts = Pick<ListBundle, 'lists' | 'rules'>

/** State of the thread that reads the tables: number of updates it was notified of, and number it has taken in. */
export interface TableReader {
  readonly notified: number
  readonly seen: number
}

/** A table that was in force; free as soon as its reader has seen this update. */
interface Retired {
  readonly memory: SharedArrayBuffer
  readonly until: number
}

/** Retired tables that are kept for the next change: one is enough unless the reader is slow. */
const maxRetired = 4

/**
 * The clients that may query, and the table they are looked up in. A change alters a copy of the table, in memory that its reader
 * has left, and is as quick with ten thousand clients as with ten.
 */
export class ClientsInForce {
  #clients: Map<number, ResolverClient>
  #bundle: BundleFacts
  #memory: SharedArrayBuffer
  #retired: readonly Retired[] = []

  constructor(clients: readonly ResolverClient[], bundle: BundleFacts) {
    this.#clients = byNumber(clients)
    this.#bundle = bundle
    this.#memory = buildClientTable(clients, bundle.lists, audiencesOf(bundle.rules))
  }

  all(): ResolverClient[] {
    return [...this.#clients.values()]
  }

  /** The table in force, for these lists; made again only when they are others than before. */
  table(bundle: BundleFacts): SharedArrayBuffer {
    if (bundle.lists !== this.#bundle.lists || bundle.rules !== this.#bundle.rules) {
      this.#bundle = bundle
      this.#rebuild()
    }
    return this.#memory
  }

  /** Replaces all clients; returns the table that the reader must be notified of next. */
  replace(clients: readonly ResolverClient[]): SharedArrayBuffer {
    this.#clients = byNumber(clients)
    this.#rebuild()
    return this.#memory
  }

  /** Changes some clients; returns the table that the reader must be notified of next. */
  change({ set, removed }: ClientsChange, reader: TableReader): SharedArrayBuffer {
    const before = new Map<number, ResolverClient | undefined>()
    for (const number of [...removed, ...set.map((client) => client.number)]) {
      before.set(number, this.#clients.get(number))
    }
    for (const number of removed) this.#clients.delete(number)
    for (const client of set) this.#clients.set(client.number, client)
    const changes = Array.from(before, ([number, was]) => ({ before: was, after: this.#clients.get(number) }))
    const { lists, rules } = this.#bundle
    const left = this.#memory
    const memory = this.#freeMemory(reader)
    new Uint32Array(memory).set(new Uint32Array(left))
    if (changeClientTable(memory, changes, { lists, audiences: audiencesOf(rules) })) {
      this.#memory = memory
      this.#retired = [...this.#retired, { memory: left, until: (reader.notified + 1) | 0 }].slice(-maxRetired)
    } else this.#rebuild()
    return this.#memory
  }

  #freeMemory({ seen }: TableReader): SharedArrayBuffer {
    const free = this.#retired.find(({ until }) => ((seen - until) | 0) >= 0)
    this.#retired = this.#retired.filter((each) => each !== free)
    return free?.memory ?? new SharedArrayBuffer(this.#memory.byteLength)
  }

  #rebuild(): void {
    const { lists, rules } = this.#bundle
    this.#memory = buildClientTable([...this.#clients.values()], lists, audiencesOf(rules))
    this.#retired = []
  }
}

const byNumber = (clients: readonly ResolverClient[]) => new Map(clients.map((client) => [client.number, client]))
