import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { ClientsFile } from './clients-file.ts'
import { joinChanges } from './join-runs.ts'
import { PeerClients, type NamedPeer, type PeersChange } from './peer-clients.ts'
import { resolverFile } from './process/resolver-files.ts'
import type { RunningResolver } from './process/running-resolver.ts'
import type { ResolverInput } from './resolver-input.ts'

/** The end of the service waits so long, milliseconds, for changes of peers that are under way. */
const patience = 3000

/** Dependencies of the client sync. */
export interface ClientSyncDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly resolver: Pick<RunningResolver, 'changedClients' | 'beginClientsFile' | 'purgeLog'>
  readonly input: Pick<ResolverInput, 'writeClients'>
  /** `DNS_LISTEN_CLIENT`, a peer's name or id. */
  readonly listenClient: string | undefined
  readonly publishSettings: () => Promise<void>
  readonly publishRules: () => Promise<void>
  /** Returns true if there are rules for any of these clients alone. */
  readonly hasRules: (clients: ReadonlySet<number>) => boolean
}

/** Keeps the resolver's clients, their file, and what depends on them, in step with the peers of the database. */
export class ClientSync {
  readonly #parts: ClientSyncDependencies
  readonly #peers: PeerClients
  readonly #file: ClientsFile
  /** Work that follows from changes of peers and is not done yet: peers whose log is to be purged, files to be written. */
  readonly #owed = { purges: new Set<number>(), rules: false, settings: false }
  #listenClient = 0
  /** Takes in that these peers came, changed, went or expired, or any; resolves when the resolver goes by it. */
  readonly sync: (ids?: readonly string[]) => Promise<void>

  constructor(parts: ClientSyncDependencies) {
    this.#parts = parts
    this.#peers = new PeerClients(parts.db, parts.clock)
    this.#file = new ClientsFile({
      path: join(parts.directory, resolverFile.clients),
      clients: () => this.#peers.clients(),
      begin: () => parts.resolver.beginClientsFile(),
      log: parts.log,
    })
    this.sync = joinChanges((ids) => this.#readPeers(ids))
  }

  /** The peer with this number. */
  peer(number: number): NamedPeer | undefined {
    return this.#peers.peer(number)
  }

  /** The number of the client that queries on extra addresses count as; 0 for none. */
  get listenClient(): number {
    return this.#listenClient
  }

  /** At the start all clients are written, whatever the file says. */
  async open(): Promise<void> {
    this.#findListenClient(await this.#peers.read())
    await this.#parts.input.writeClients([...this.#peers.clients()])
  }

  /** Takes in changes that nobody waited for, but not for longer than the end of the service can wait; writes the file. */
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
    if (this.#findListenClient(change)) this.#owed.settings = true
    // What a peer looked up goes with it, and its rules; a rule shows its peer's name.
    for (const number of gone) this.#owed.purges.add(number)
    if (this.#parts.hasRules(touched)) this.#owed.rules = true
    if (clients.set.length > 0 || clients.removed.length > 0) {
      this.#file.changed()
      await this.#parts.resolver.changedClients(clients)
    }
    await this.#settleWhatIsOwed()
  }

  async #settleWhatIsOwed(): Promise<void> {
    if (this.#owed.rules) await this.#parts.publishRules()
    this.#owed.rules = false
    if (this.#owed.settings) await this.#parts.publishSettings()
    this.#owed.settings = false
    for (const number of this.#owed.purges) {
      await this.#parts.resolver.purgeLog(this.#parts.clock.now(), number)
      this.#owed.purges.delete(number)
    }
  }

  /** Looks up `DNS_LISTEN_CLIENT` again when the change may be about it; true when it is another client now. */
  #findListenClient({ clients: { set, removed } }: PeersChange): boolean {
    const { listenClient: wanted } = this.#parts
    if (wanted === undefined) return false
    const known = this.#listenClient
    const isWanted = ({ id, name }: { id: string; name: string }) => wanted === name || wanted === id
    if (removed.includes(known) || set.some((client) => client.number === known || isWanted(client))) {
      this.#listenClient = this.#peers.clients().find(isWanted)?.number ?? 0
    }
    return this.#listenClient !== known
  }
}
