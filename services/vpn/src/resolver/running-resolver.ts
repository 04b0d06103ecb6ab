import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRingMemory, LogRing } from '../dns/log-ring.ts'
import { withUpdate, type DataUpdate, type DataConfig } from '../dns/loops/data-config.ts'
import { resolverFile } from '../dns/resolver-files.ts'
import type { NodeQueryBatch } from '../query-log/node-batches.ts'
import { CacheFile } from './cache-file.ts'
import { DataThreadHost } from './data-thread-host.ts'
import { ListeningAddresses } from './listening-addresses.ts'
import type { ListsChange } from './lists-in-force.ts'
import { logSettings, type LogThreadHost } from './log-thread-host.ts'
import type { ChangedFile, ClientsChange, Explanation, ExplainRequest, ResolverState } from './messages.ts'
import { type ActiveConfig, peerNamesOf, policyOf, profilesOf, readActiveConfig, settingsConfig } from './read-files.ts'
import { RecordsInForce } from './records-in-force.ts'
import { readResolverFile } from './stored-files.ts'
import { type Opened, openLog } from './opened-resolver.ts'
import { resolverState } from './resolver-state.ts'
import { OpenedStreams } from './opened-streams.ts'
import type { ServersConfig } from './upstream-servers.ts'
import { ZonesInForce } from './zones-in-force.ts'

const streamRingBytes = 1 << 20
/** Time of answers that the log's rings have room for, milliseconds. */
const maxRingMs = 2000

/** A running resolver. */
export class Resolver {
  readonly data: DataThreadHost
  readonly #opened: Opened
  readonly #streamRing: SharedArrayBuffer
  readonly #streams = new OpenedStreams()
  readonly #addresses: ListeningAddresses
  readonly #log: LogThreadHost
  readonly #cacheFile: CacheFile
  readonly #startedAt = Date.now()
  #files: ActiveConfig
  #config: DataConfig
  #turn: Promise<unknown> = Promise.resolve()
  #firstCompile: Promise<void> = Promise.resolve()

  constructor(opened: Opened) {
    const { dependencies, libc, files, config } = opened
    const { directory, warn } = dependencies
    const rings = [createRingMemory(), createRingMemory(streamRingBytes)] as const
    this.#opened = opened
    this.#files = files
    this.#config = config
    this.data = new DataThreadHost({
      mode: libc === undefined ? 'dgram' : 'ffi',
      config,
      ring: rings[0],
      libc,
      onNote: ({ number, error }) => this.#addresses.note(number, error),
      warn,
    })
    const path = join(directory, resolverFile.cache)
    this.#cacheFile = new CacheFile({ path, data: this.data, warn }, files.settings.keepCache)
    ;[, this.#streamRing] = rings
    this.#addresses = new ListeningAddresses({
      libc,
      assign: (listeners) => {
        this.data.update({ listeners })
        return this.data.settled()
      },
      connected: (socket, isTunnel) => this.#streams.take(socket, isTunnel),
    })
    this.#log = openLog(opened, rings)
  }

  /** Opens the listeners, then starts the deferred work in the order of its urgency. */
  async listen(): Promise<void> {
    const { lists, servers, dependencies } = this.#opened
    if (dependencies.isListsFirst === true && lists.areMissing(this.#files.lists))
      await this.#compile().catch((error: Error) => dependencies.warn(`the lists: ${error.message}`))
    await this.#addresses.apply(this.#files.settings.listeners)
    if (lists.isStale(this.#files.lists))
      this.#firstCompile = this.#compile().then(
        () => undefined,
        (error: Error) => dependencies.warn(`the lists: ${error.message}`),
      )
    void this.#cacheFile.open()
    await this.#streams.open(this.#config, { ring: new LogRing(this.#streamRing), query: servers.query })
    await this.changed('private').catch((error: Error) => dependencies.warn(`private DNS: ${error.message}`))
    this.#log.send({ type: 'clients', clients: this.#files.clients.all() })
    this.#log.send({ type: 'upstreams', labels: servers.labels() })
    const late = pause(maxRingMs, undefined, { ref: false })
    void Promise.race([this.#firstCompile, late]).then(() => this.#log.startWhenNeeded())
  }

  /** Resolves when the lists of the files are in force, or cannot be. */
  listsTried(): Promise<void> {
    return this.#firstCompile
  }

  /** True if the settings want another engine than the one that runs, which takes another process. */
  get isOutdated(): boolean {
    return this.#files.settings.engine !== this.#opened.files.settings.engine
  }

  state(): ResolverState {
    const { libc, engineReason, servers, lists } = this.#opened
    return resolverState({
      engine: libc === undefined ? 'dgram' : 'ffi',
      engineReason,
      listeners: this.#addresses.states(),
      logLost: this.#log.lost,
      names: lists.bundle().names,
      startedAt: this.#startedAt,
      privateDns: this.#streams.privateState(),
      data: this.data,
      servers,
      streams: this.#streams.opened,
    })
  }

  /** Reads a file again and puts it in force for the next query. Rejects, and leaves all as it is, when it cannot be read. */
  changed(file: ChangedFile): Promise<void> {
    const { directory } = this.#opened.dependencies
    const apply = {
      settings: () => this.#changedSettings(),
      rules: async () => this.#replace({ rules: await readResolverFile(directory, 'rules') }),
      records: async () => this.#replace({ records: new RecordsInForce(await readResolverFile(directory, 'records')) }),
      clients: () => this.#replacedClients(),
      profiles: () => this.#changedProfiles(),
      zones: () => this.#changedZones(),
      private: async () => this.#streams.usePrivate(await readResolverFile(directory, 'private')),
      all: () => this.#changedAll(),
    }
    return this.#withLock(apply[file])
  }

  /** Puts changed clients in force for the next query. */
  changedClients(change: ClientsChange): Promise<void> {
    return this.#withLock(async () => {
      const clients = this.#files.clients.change(change, this.data)
      const areOthers = this.#files.peerNames.change(change)
      this.#update({ clients, ...(areOthers ? peerNamesOf(this.#files, this.#opened.lists.bundle()) : {}) })
      this.#log.changeClients(change)
    })
  }

  /** Reads which lists there are, compiles them and puts them in force; all the while it answers by the old ones. */
  async changedLists(): Promise<ListsChange> {
    await this.#withLock(async () => {
      this.#files = { ...this.#files, lists: await readResolverFile(this.#opened.dependencies.directory, 'lists') }
    })
    return this.#compile()
  }

  /**
   * Reads all files, compiles the lists, and puts all of it in force in one step: profiles that name a new list hold with that list.
   * All the while it answers by what held before.
   */
  changedTogether(): Promise<ListsChange> {
    return this.#withLock(() => this.#changedTogether())
  }

  async explain(question: ExplainRequest): Promise<Explanation> {
    const { query } = this.#opened.servers
    const { explainName } = await import('./explain-name.ts')
    const { policy } = await this.#streams.ready()
    const settings = this.#config.engine
    return explainName({ policy, settings, query }, question)
  }

  /** Queries an upstream, given as operators write it, for the root or for a zone; milliseconds. Rejects with the reason. */
  async testUpstream(upstream: string, zone?: string): Promise<number> {
    return (await import('./test-upstream.ts')).testUpstream(upstream, { zone })
  }

  clearCache(): void {
    this.data.update({ clearCache: true })
    this.#streams.opened?.clearCache()
    void this.#cacheFile.clear()
  }

  purgeLog(before: number, client: number | null): Promise<void> {
    return this.#log.purge(before, client)
  }

  /** Writes queries that a node answered into the log. */
  takeQueries(batch: NodeQueryBatch): Promise<number> {
    return this.#log.takeBatch(batch)
  }

  async close(): Promise<void> {
    await this.#addresses.close()
    this.#streams.close()
    await this.#cacheFile.close()
    await this.data.close()
    this.#opened.servers.close()
    await this.#log.close()
    await this.#opened.lists.kept()
  }

  /** One change at a time, in the order in which they came. */
  #withLock<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  #update(update: DataUpdate): void {
    this.#config = withUpdate(this.#config, update)
    this.data.update(update)
    this.#streams.opened?.use(this.#config)
  }

  #compile(): Promise<ListsChange> {
    const { lists } = this.#opened
    return lists.compile(this.#files.lists, () => this.#update({ policy: policyOf(this.#files, lists.bundle()) }))
  }

  #replace(some: Partial<ActiveConfig>, more: DataUpdate = {}): void {
    const files = { ...this.#files, ...some }
    this.#update({ policy: policyOf(files, this.#opened.lists.bundle()), ...more })
    this.#files = files
  }

  async #replacedClients(): Promise<void> {
    const { dependencies, lists } = this.#opened
    const clients = await readResolverFile(dependencies.directory, 'clients')
    this.#files.peerNames.replace(clients)
    this.#update({ clients: this.#files.clients.replace(clients), ...peerNamesOf(this.#files, lists.bundle()) })
    this.#log.send({ type: 'clients', clients })
  }

  /** A switch of a profile changes this table alone, however many clients it has. */
  async #changedProfiles(): Promise<void> {
    const { dependencies, lists } = this.#opened
    this.#files = { ...this.#files, profiles: await readResolverFile(dependencies.directory, 'profiles') }
    this.#update(profilesOf(this.#files, lists.bundle()))
  }

  /** Zones and their servers change in one step: a name is sent to the servers of its zone, or not at all. */
  async #changedZones(): Promise<void> {
    const { dependencies, servers } = this.#opened
    const zones = new ZonesInForce(await readResolverFile(dependencies.directory, 'zones'))
    const open = await servers.apply(this.#files.settings.upstreams, zones.groups)
    this.#log.send({ type: 'upstreams', labels: servers.labels() })
    this.#replace({ zones }, open)
    await this.data.settled()
    servers.closeLeft()
  }

  /** What the files say together comes into force in one step; lists that are others are compiled by `changedLists`. */
  async #changedAll(): Promise<void> {
    const files = { ...(await this.#read()), lists: this.#files.lists }
    this.#useAll(files, await this.#serversOf(files))
    await this.#settle()
  }

  async #changedTogether(): Promise<ListsChange> {
    const files = await this.#read()
    let open: ServersConfig | undefined
    const change = await this.#opened.lists.compile(
      files.lists,
      () => this.#useAll(files, open),
      async () => void (open = await this.#serversOf(files)),
    )
    await this.#settle()
    return change
  }

  #read(): Promise<ActiveConfig> {
    return readActiveConfig(this.#opened.dependencies.directory, this.#opened.lists.bundle())
  }

  #serversOf({ settings, zones }: ActiveConfig): Promise<ServersConfig> {
    return this.#opened.servers.apply(settings.upstreams, zones.groups)
  }

  #useAll(files: ActiveConfig, open: ServersConfig | undefined): void {
    this.#update({ policy: policyOf(files, this.#opened.lists.bundle()), ...settingsConfig(files.settings), ...open })
    this.#files = files
    this.#log.send({ type: 'clients', clients: files.clients.all() })
  }

  /** Takes over the rest of the settings, once they are in force. */
  async #settle(): Promise<void> {
    const { settings } = this.#files
    const { servers } = this.#opened
    this.#log.send({ type: 'settings', ...logSettings(settings) })
    this.#log.send({ type: 'upstreams', labels: servers.labels() })
    await this.#cacheFile.use(settings.keepCache)
    await this.#addresses.apply(settings.listeners)
    servers.closeLeft()
  }

  async #changedSettings(): Promise<void> {
    const { dependencies, lists, servers } = this.#opened
    const settings = await readResolverFile(dependencies.directory, 'settings')
    const areServersOthers = JSON.stringify(settings.upstreams) !== JSON.stringify(this.#files.settings.upstreams)
    this.#files = { ...this.#files, settings }
    const upstreams = areServersOthers ? await servers.apply(settings.upstreams, this.#files.zones.groups) : {}
    this.#update({ policy: policyOf(this.#files, lists.bundle()), ...settingsConfig(settings), ...upstreams })
    await this.#settle()
  }
}
