import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRingMemory, LogRing } from '../../query-log/ring.ts'
import { withNews, type DataNews, type DataOrders } from '../loops/orders.ts'
import { Shared } from '../loops/shared-state.ts'
import { openLibc, type Libc } from '../sockets/libc.ts'
import type { Streams } from '../tcp/streams.ts'
import type { RelayOptions } from '../upstream/relay.ts'
import { ClientsInForce } from './clients-in-force.ts'
import { DataThreadHost } from './data-thread-host.ts'
import { ListeningPlaces } from './listening-places.ts'
import { openListsInForce, type ListsChange, type ListsInForce } from './lists-in-force.ts'
import { LogThreadHost } from './log-thread-host.ts'
import type { ClientsChange, Explanation, ExplainRequest, ResolverState } from './messages.ts'
import { policyOf, settingsOrders, startOrders, type InForce } from './orders-of.ts'
import { readResolverFile, readResolverFiles } from './read-files.ts'
import { UpstreamServers } from './upstream-servers.ts'

const logFile = 'query-log.db'
const streamRingBytes = 1 << 20
/** Time of answers that the log's rings have room for, milliseconds. */
const longestInRings = 2000

/** Dependencies of a resolver. */
export interface ResolverParts extends RelayOptions {
  /** With the files of `resolver-files.ts`. */
  readonly directory: string
  /** `dgram` where the settings leave it open: after the other engine killed the process. */
  readonly isCautious?: boolean
  /** Something an operator should know. */
  readonly warn: (message: string) => void
  /** Called with the number of queries written to the log. */
  readonly logged?: (count: number) => void
}

interface Opened {
  readonly parts: ResolverParts
  readonly libc: Libc | undefined
  readonly engineReason: string
  readonly files: InForce
  readonly lists: ListsInForce
  readonly servers: UpstreamServers
  readonly orders: DataOrders
}

/**
 * Starts to answer, by the files in the directory: sockets first, with what is compiled of the lists, so that after a crash it
 * answers at once. Lists that changed meanwhile are compiled while it answers with the old ones.
 */
export async function createResolver(parts: ResolverParts): Promise<Resolver> {
  const read = await readResolverFiles(parts.directory, parts.warn)
  const { libc, engineReason } = await chooseEngine(read.settings.engine, parts.isCautious ?? false)
  const lists = openListsInForce(parts.directory, parts.warn)
  const files = { ...read, clients: new ClientsInForce(read.clients, lists.bundle()) }
  const servers = new UpstreamServers(parts)
  const upstreams = await servers.apply(files.settings.upstreams)
  const orders = startOrders(files, lists.bundle(), { listeners: [], upstreams })
  const resolver = new Resolver({ parts, libc, engineReason, files, lists, servers, orders })
  await resolver.listen()
  return resolver
}

/** A resolver at work. */
export class Resolver {
  readonly data: DataThreadHost
  readonly #opened: Opened
  readonly #streamRing: SharedArrayBuffer
  readonly #streams = Promise.withResolvers<Streams>()
  #openedStreams: Streams | undefined
  readonly #places: ListeningPlaces
  readonly #log: LogThreadHost
  readonly #startedAt = Date.now()
  #files: InForce
  #orders: DataOrders
  #turn: Promise<unknown> = Promise.resolve()
  #firstCompile: Promise<void> = Promise.resolve()

  constructor(opened: Opened) {
    const { parts, libc, files, orders } = opened
    const { warn } = parts
    const rings = [createRingMemory(), createRingMemory(streamRingBytes)] as const
    this.#opened = opened
    this.#files = files
    this.#orders = orders
    this.data = new DataThreadHost({
      mode: libc === undefined ? 'dgram' : 'ffi',
      orders,
      ring: rings[0],
      libc,
      noted: ({ number, error }) => this.#places.note(number, error),
      warn,
    })
    ;[, this.#streamRing] = rings
    this.#places = new ListeningPlaces({
      libc,
      assign: (listeners) => {
        this.data.tell({ listeners })
        return this.data.settled()
      },
      connected: (socket, isTunnel) => this.#takeStream(socket, isTunnel),
    })
    const { logRetentionDays: retentionDays } = files.settings
    const file = join(parts.directory, logFile)
    this.#log = new LogThreadHost({ rings, file, retentionDays }, { wrote: (count) => parts.logged?.(count), warn })
  }

  /** Opens the listeners, and begins with what needs not be done before: in the order in which somebody waits for it. */
  async listen(): Promise<void> {
    const { lists, servers, parts } = this.#opened
    await this.#places.apply(this.#files.settings.listeners)
    if (lists.isStale(this.#files.lists))
      this.#firstCompile = this.#compile().then(ignore, (error: Error) => parts.warn(`the lists: ${error.message}`))
    await this.#openStreams()
    this.#log.tell({ type: 'clients', clients: this.#files.clients.all() })
    this.#log.tell({ type: 'upstreams', labels: servers.labels() })
    const late = pause(longestInRings, undefined, { ref: false })
    void Promise.race([this.#firstCompile, late]).then(() => this.#log.start())
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
    return {
      engine: libc === undefined ? 'dgram' : 'ffi',
      engineReason,
      listeners: this.#places.states(),
      upstreams: servers.states(this.data.state),
      cacheEntries: this.data.state.words[Shared.cacheEntries]!,
      logLost: this.#log.lost,
      names: lists.bundle().names,
      startedAt: this.#startedAt,
    }
  }

  /** Reads a file again and puts it in force for the next query. Rejects, and leaves all as it is, when it cannot be read. */
  changed(file: 'settings' | 'clients' | 'rules'): Promise<void> {
    return this.#inTurn(() => {
      if (file === 'settings') return this.#changedSettings()
      return file === 'rules' ? this.#changedRules() : this.#replacedClients()
    })
  }

  /** Puts changed clients in force for the next query. */
  changedClients(change: ClientsChange): Promise<void> {
    return this.#inTurn(async () => {
      this.#tell({ clients: this.#files.clients.change(change, this.data) })
      this.#log.changeClients(change)
    })
  }

  /** Reads which lists there are, compiles them and puts them in force; all the while it answers by the old ones. */
  async changedLists(): Promise<ListsChange> {
    await this.#inTurn(async () => {
      this.#files = { ...this.#files, lists: await readResolverFile(this.#opened.parts.directory, 'lists') }
    })
    return this.#compile()
  }

  async explain(question: ExplainRequest): Promise<Explanation> {
    const { servers } = this.#opened
    const { explainName } = await import('./explain-name.ts')
    const { policy } = await this.#streams.promise
    const settings = this.#orders.engine
    return explainName({ policy, settings, ask: (query, isGood) => servers.ask(query, isGood) }, question)
  }

  clearCache(): void {
    this.data.tell({ clearCache: true })
    this.#openedStreams?.clearCache()
  }

  purgeLog(before: number, client: number | null): Promise<void> {
    return this.#log.purge(before, client)
  }

  async close(): Promise<void> {
    await this.#places.close()
    this.#openedStreams?.close()
    await this.data.close()
    this.#opened.servers.close()
    await this.#log.close()
    await this.#opened.lists.kept()
  }

  /** One change at a time, in the order in which they came. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  #tell(news: DataNews): void {
    this.#orders = withNews(this.#orders, news)
    this.data.tell(news)
    this.#openedStreams?.use(this.#orders)
  }

  async #openStreams(): Promise<void> {
    const { servers } = this.#opened
    const { Streams } = await import('../tcp/streams.ts')
    this.#openedStreams = new Streams(this.#orders, {
      ring: new LogRing(this.#streamRing),
      ask: (query, isGood) => servers.ask(query, isGood),
    })
    this.#streams.resolve(this.#openedStreams)
  }

  /** Connections that come before streams are answered wait for that. */
  #takeStream(socket: Socket, isTunnel: boolean): void {
    socket.on('error', ignore)
    void this.#streams.promise.then((streams) => streams.take(socket, isTunnel))
  }

  #compile(): Promise<ListsChange> {
    const { lists } = this.#opened
    return lists.compile(this.#files.lists, () => this.#tell({ policy: policyOf(this.#files, lists.bundle()) }))
  }

  async #changedRules(): Promise<void> {
    const { parts, lists } = this.#opened
    const files = { ...this.#files, rules: await readResolverFile(parts.directory, 'rules') }
    this.#tell({ policy: policyOf(files, lists.bundle()) })
    this.#files = files
  }

  async #replacedClients(): Promise<void> {
    const clients = await readResolverFile(this.#opened.parts.directory, 'clients')
    this.#tell({ clients: this.#files.clients.replace(clients) })
    this.#log.tell({ type: 'clients', clients })
  }

  async #changedSettings(): Promise<void> {
    const { parts, lists, servers } = this.#opened
    const settings = await readResolverFile(parts.directory, 'settings')
    const areServersOthers = JSON.stringify(settings.upstreams) !== JSON.stringify(this.#files.settings.upstreams)
    this.#files = { ...this.#files, settings }
    const upstreams = areServersOthers ? { upstreams: await servers.apply(settings.upstreams) } : {}
    this.#tell({ policy: policyOf(this.#files, lists.bundle()), ...settingsOrders(settings), ...upstreams })
    this.#log.tell({ type: 'settings', retentionDays: settings.logRetentionDays })
    this.#log.tell({ type: 'upstreams', labels: servers.labels() })
    await this.#places.apply(settings.listeners)
    servers.closeLeft()
  }
}

/** The C library, or why `dgram` has to do. */
async function chooseEngine(
  wanted: 'auto' | 'ffi' | 'dgram',
  isCautious: boolean,
): Promise<{ libc: Libc | undefined; engineReason: string }> {
  if (wanted === 'dgram') return { libc: undefined, engineReason: 'chosen in the settings' }
  if (isCautious && wanted === 'auto') {
    return { libc: undefined, engineReason: 'batched system calls ended the process before' }
  }
  try {
    const libc = await openLibc()
    return { libc, engineReason: wanted === 'ffi' ? 'chosen in the settings' : 'batched system calls work here' }
  } catch (error) {
    return { libc: undefined, engineReason: (error as Error).message }
  }
}

const ignore = (): void => undefined
