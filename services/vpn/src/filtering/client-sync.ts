import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { ClientsFile } from './clients-file.ts'
import { joinChanges } from './in-force.ts'
import { type ClientsScope, PeerClients, type NamedPeer, type PeerFacts, type PeersChange } from './peer-clients.ts'
import { type ResolverClient, resolverFile } from '../dns/resolver-files.ts'
import type { ResolverSupervisor } from '../resolver/supervisor.ts'
import type { ResolverInput } from './resolver-input.ts'

/** Maximum time that `close` waits for pending changes of peers, milliseconds. */
const patience = 3000

/** Dependencies of the client sync. */
export interface ClientSyncDependencies extends PeerFacts {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly resolver: Pick<ResolverSupervisor, 'changedClients' | 'beginClientsFile' | 'purgeLog'>
  readonly input: Pick<ResolverInput, 'write'>
  /** `DNS_LISTEN_CLIENT`, a peer's name or id. */
  readonly listenClient: string | undefined
  readonly publishSettings: () => Promise<void>
  readonly publishRules: () => Promise<void>
  /** Called when a peer that may query is another now. */
  readonly onInputChanged?: (scope: ClientsScope) => void
  /** Returns true if there are rules for any of these clients alone. */
  readonly hasRules: (clients: ReadonlySet<number>) => boolean
}

/** Keeps the resolver's clients, their file, and what depends on them, in step with the peers of the database. */
export class ClientSync {
  readonly #dependencies: ClientSyncDependencies
  readonly #peers: PeerClients
  readonly #file: ClientsFile
  /** Pending work after changes of peers: logs to purge by client number, files to write. */
  readonly #pending = { purges: new Set<number>(), rules: false, settings: false }
  #listenClient = 0
  /**
   * Applies that these peers, or any, were created, changed, deleted or expired; resolves when the resolver uses the change.
   */
  readonly sync: (ids?: readonly string[]) => Promise<void>

  constructor(dependencies: ClientSyncDependencies) {
    this.#dependencies = dependencies
    this.#peers = new PeerClients(dependencies.db, dependencies.clock, dependencies)
    this.#file = new ClientsFile({
      path: join(dependencies.directory, resolverFile.clients),
      clients: () => this.#peers.clients(),
      begin: () => dependencies.resolver.beginClientsFile(),
      log: dependencies.log,
    })
    this.sync = joinChanges((ids) => this.#readPeers(ids))
  }

  /** The peer with this number. */
  peer(number: number): NamedPeer | undefined {
    return this.#peers.peer(number)
  }

  /** Peers that may query. */
  all(): Iterable<ResolverClient> {
    return this.#peers.clients()
  }

  /** The label of a peer in DNS; null for none. */
  labelOf(id: string): string | null {
    return this.#peers.labelOf(id)
  }

  /** The number of the client that queries on extra addresses count as; 0 for none. */
  get listenClient(): number {
    return this.#listenClient
  }

  /**
   * Writes all clients, whatever the file says. Afterwards the resolver is notified of changes, and `ClientsFile` follows them.
   */
  async open(): Promise<void> {
    this.#findListenClient(await this.#peers.read())
    await this.#dependencies.input.write('clients', [...this.#peers.clients()])
  }

  /** Applies pending changes, within the time limit of a shutdown, and writes the file. */
  async close(): Promise<void> {
    const done = this.sync([]).catch(() => undefined)
    await Promise.race([done, pause(patience, undefined, { ref: false })])
    await this.#file.close()
  }

  async #readPeers(ids: readonly string[] | undefined): Promise<void> {
    const change = await this.#peers.read(ids)
    const { clients, gone, renamed } = change
    const touched = new Set([...gone, ...renamed])
    // Known at once: the settings name it, also those that are written while the resolver is away.
    if (this.#findListenClient(change)) this.#pending.settings = true
    // The log of a deleted peer goes with it, and so do its rules; a rule shows its peer's name.
    for (const number of gone) this.#pending.purges.add(number)
    if (this.#dependencies.hasRules(touched)) this.#pending.rules = true
    if (clients.set.length > 0 || clients.removed.length > 0) {
      this.#file.changed()
      this.#dependencies.onInputChanged?.(change.scope)
      await this.#dependencies.resolver.changedClients(clients)
    }
    await this.#settlePending()
  }

  async #settlePending(): Promise<void> {
    if (this.#pending.rules) await this.#dependencies.publishRules()
    this.#pending.rules = false
    if (this.#pending.settings) await this.#dependencies.publishSettings()
    this.#pending.settings = false
    for (const number of this.#pending.purges) {
      await this.#dependencies.resolver.purgeLog(this.#dependencies.clock.now(), number)
      this.#pending.purges.delete(number)
    }
  }

  /** Looks up `DNS_LISTEN_CLIENT` again when the change may be about it; true when it is another client now. */
  #findListenClient({ clients: { set, removed } }: PeersChange): boolean {
    const { listenClient: wanted } = this.#dependencies
    if (wanted === undefined) return false
    const known = this.#listenClient
    const isWanted = ({ id, name }: { id: string; name: string }) => wanted === name || wanted === id
    if (removed.includes(known) || set.some((client) => client.number === known || isWanted(client))) {
      this.#listenClient = this.#peers.clients().find(isWanted)?.number ?? 0
    }
    return this.#listenClient !== known
  }
}
