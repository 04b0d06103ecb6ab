import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRingMemory, LogRing } from '../dns/log-ring.ts'
import { withUpdate, type DataUpdate, type DataConfig } from '../dns/loops/data-config.ts'
import type { PrivateDnsServer } from '../dns/private/server.ts'
import type { Streams } from '../dns/tcp/streams.ts'
import { resolverFile, type ResolverPrivateDns } from '../dns/resolver-files.ts'
import { CacheFile } from './cache-file.ts'
import { DataThreadHost } from './data-thread-host.ts'
import { ListeningAddresses } from './listening-addresses.ts'
import type { ListsChange } from './lists-in-force.ts'
import { logSettings, LogThreadHost } from './log-thread-host.ts'
import type { ChangedFile, ClientsChange, Explanation, ExplainRequest, ResolverState } from './messages.ts'
import { activeConfig, type ActiveConfig, peerNamesOf, policyOf, profilesOf, settingsConfig } from './read-files.ts'
import { RecordsInForce } from './records-in-force.ts'
import { readResolverFile, readResolverFiles } from './stored-files.ts'
import type { Opened } from './opened-resolver.ts'
import { resolverState } from './resolver-state.ts'
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
  readonly #streams = Promise.withResolvers<Streams>()
  #openedStreams: Streams | undefined
  #private: PrivateDnsServer | undefined
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
      connected: (socket, isTunnel) => this.#takeStream(socket, isTunnel),
    })
    this.#log = new LogThreadHost(
      { rings, file: join(directory, resolverFile.queryLog), ...logSettings(files.settings) },
      { onWritten: (count) => dependencies.logged?.(count), onNoticed: dependencies.noticed, warn },
    )
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
    await this.#openStreams()
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
      privateDns: this.#private?.state() ?? null,
      data: this.data,
      servers,
      streams: this.#openedStreams,
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
      private: async () => this.#usePrivate(await readResolverFile(directory, 'private')),
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
    const { policy } = await this.#streams.promise
    const settings = this.#config.engine
    return explainName({ policy, settings, query }, question)
  }

  /** Queries an upstream, given as operators write it, for the root or for a zone; milliseconds. Rejects with the reason. */
  async testUpstream(upstream: string, zone?: string): Promise<number> {
    return (await import('./test-upstream.ts')).testUpstream(upstream, { zone })
  }

  clearCache(): void {
    this.data.update({ clearCache: true })
    this.#openedStreams?.clearCache()
    void this.#cacheFile.clear()
  }

  purgeLog(before: number, client: number | null): Promise<void> {
    return this.#log.purge(before, client)
  }

  async close(): Promise<void> {
    await this.#addresses.close()
    this.#private?.close()
    this.#openedStreams?.close()
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
    this.#openedStreams?.use(this.#config)
  }

  async #openStreams(): Promise<void> {
    const { servers } = this.#opened
    const { Streams } = await import('../dns/tcp/streams.ts')
    this.#openedStreams = new Streams(this.#config, {
      ring: new LogRing(this.#streamRing),
      query: servers.query,
    })
    this.#streams.resolve(this.#openedStreams)
  }

  /** Loads and opens what answers outside the tunnels only where that is switched on. */
  async #usePrivate(wanted: ResolverPrivateDns): Promise<void> {
    if (wanted.name === null && this.#private === undefined) return
    const { PrivateDnsServer } = await import('../dns/private/server.ts')
    this.#private ??= new PrivateDnsServer(await this.#streams.promise)
    await this.#private.apply(wanted)
  }

  /** Connections that come before streams are answered wait for that. */
  #takeStream(socket: Socket, isTunnel: boolean): void {
    socket.on('error', () => undefined)
    void this.#streams.promise.then((streams) => streams.take(socket, isTunnel))
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
    const files = { ...(await this.#readAll()), lists: this.#files.lists }
    this.#useAll(files, await this.#serversOf(files))
    await this.#settleAll()
  }

  async #changedTogether(): Promise<ListsChange> {
    const files = await this.#readAll()
    let open: ServersConfig | undefined
    const change = await this.#opened.lists.compile(
      files.lists,
      () => this.#useAll(files, open),
      async () => void (open = await this.#serversOf(files)),
    )
    await this.#settleAll()
    return change
  }

  async #readAll(): Promise<ActiveConfig> {
    const { dependencies, lists } = this.#opened
    const broken: string[] = []
    const read = await readResolverFiles(dependencies.directory, (message) => broken.push(message))
    if (broken.length > 0) throw new Error(broken.join('; '))
    return activeConfig(read, lists.bundle())
  }

  #serversOf({ settings, zones }: ActiveConfig): Promise<ServersConfig> {
    return this.#opened.servers.apply(settings.upstreams, zones.groups)
  }

  #useAll(files: ActiveConfig, open: ServersConfig | undefined): void {
    this.#update({ policy: policyOf(files, this.#opened.lists.bundle()), ...settingsConfig(files.settings), ...open })
    this.#files = files
  }

  /** Takes over the rest, once what all files say is in force. */
  async #settleAll(): Promise<void> {
    const files = this.#files
    const { servers } = this.#opened
    this.#log.send({ type: 'settings', ...logSettings(files.settings) })
    this.#log.send({ type: 'clients', clients: files.clients.all() })
    this.#log.send({ type: 'upstreams', labels: servers.labels() })
    await this.#cacheFile.use(files.settings.keepCache)
    await this.#addresses.apply(files.settings.listeners)
    servers.closeLeft()
  }

  async #changedSettings(): Promise<void> {
    const { dependencies, lists, servers } = this.#opened
    const settings = await readResolverFile(dependencies.directory, 'settings')
    const areServersOthers = JSON.stringify(settings.upstreams) !== JSON.stringify(this.#files.settings.upstreams)
    this.#files = { ...this.#files, settings }
    const upstreams = areServersOthers ? await servers.apply(settings.upstreams, this.#files.zones.groups) : {}
    this.#update({ policy: policyOf(this.#files, lists.bundle()), ...settingsConfig(settings), ...upstreams })
    this.#log.send({ type: 'settings', ...logSettings(settings) })
    this.#log.send({ type: 'upstreams', labels: servers.labels() })
    await this.#cacheFile.use(settings.keepCache)
    await this.#addresses.apply(settings.listeners)
    servers.closeLeft()
  }
}
