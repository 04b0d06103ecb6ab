import { join } from 'node:path'
import { createRingMemory, LogRing } from '../../query-log/ring.ts'
import type { DataNews } from '../loops/orders.ts'
import { Shared } from '../loops/shared-state.ts'
import { openLibc, type Libc } from '../sockets/libc.ts'
import { createConnections } from '../tcp/connections.ts'
import { createStreamAnswers } from '../tcp/stream-answers.ts'
import type { RelayOptions } from '../upstream/relay.ts'
import { createDataThread, type DataThreadHost } from './data-thread-host.ts'
import { openListsInForce, type ListsChange } from './lists-in-force.ts'
import { createListeningPlaces } from './listening-places.ts'
import { createLogThread } from './log-thread-host.ts'
import type { Explanation, ResolverState } from './messages.ts'
import { policyOf, settingsOrders, startOrders } from './orders-of.ts'
import { readResolverFile, readResolverFiles } from './read-files.ts'
import { explainName } from './explain-name.ts'
import { createUpstreamServers } from './upstream-servers.ts'

/** How a resolver is made. */
export interface ResolverParts extends RelayOptions {
  /** With the files of `resolver-files.ts`. */
  readonly directory: string
  /** `dgram` whatever the settings say: after the other engine killed the process. */
  readonly isCautious?: boolean
  /** Something an operator should know. */
  readonly warn: (message: string) => void
  /** So many queries were written to the log. */
  readonly logged?: (count: number) => void
}

/** A resolver at work. */
export interface Resolver {
  state(): ResolverState
  /** Reads a file again and puts it in force for the next query; lists once they are compiled. */
  changed(file: 'settings' | 'clients' | 'rules'): Promise<void>
  changedLists(): Promise<ListsChange>
  explain(question: { domain: string; client: number; resolve: boolean }): Promise<Explanation>
  clearCache(): void
  purgeLog(before: number, client: number | null): Promise<void>
  readonly data: DataThreadHost
  close(): Promise<void>
}

/**
 * Starts to answer, by the files in the directory: sockets first, then what is compiled of the lists, so that after a crash it
 * answers at once. Lists that changed meanwhile are compiled while it answers with the old ones.
 */
export async function createResolver(parts: ResolverParts): Promise<Resolver> {
  const { directory, warn } = parts
  const startedAt = Date.now()
  let files = await readResolverFiles(directory, warn)
  const { libc, engineReason } = await chooseEngine(files.settings.engine, parts.isCautious ?? false)
  const lists = openListsInForce(directory, warn)
  const rings = [createRingMemory(), createRingMemory(1 << 20)] as const
  const servers = createUpstreamServers(parts)
  const upstreams = await servers.apply(files.settings.upstreams)
  const orders = startOrders(files, lists.bundle(), { listeners: [], upstreams })
  const data = createDataThread({
    mode: libc === undefined ? 'dgram' : 'ffi',
    orders,
    ring: rings[0],
    libc,
    noted: ({ number, error }) => places.note(number, error),
    warn,
  })
  const answers = createStreamAnswers(orders, { ring: new LogRing(rings[1]), ask: servers.ask })
  const connections = createConnections(answers)
  connections.use(files.settings)
  const places = createListeningPlaces({
    libc,
    assign: async (listeners) => {
      data.tell({ listeners })
      await data.settled()
    },
    connected: connections.take,
  })
  await places.apply(files.settings.listeners)
  const log = createLogThread(
    { rings, file: join(directory, 'query-log.db'), retentionDays: files.settings.logRetentionDays },
    { wrote: (count) => parts.logged?.(count), warn },
  )
  log.tell({ type: 'clients', clients: files.clients })
  log.tell({ type: 'upstreams', labels: servers.labels() })
  let inForce = orders
  let turn: Promise<unknown> = Promise.resolve()

  function tell(news: DataNews): void {
    inForce = { ...inForce, ...news }
    data.tell(news)
    answers.use(inForce)
  }

  const swapPolicy = () => tell({ policy: policyOf(files, lists.bundle()) })

  /** One change at a time, in the order in which they came. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  async function changedSettings(): Promise<void> {
    const settings = await readResolverFile(directory, 'settings')
    const areServersOthers = JSON.stringify(settings.upstreams) !== JSON.stringify(files.settings.upstreams)
    files = { ...files, settings }
    const upstreams = areServersOthers ? { upstreams: await servers.apply(settings.upstreams) } : {}
    tell({ policy: policyOf(files, lists.bundle()), ...settingsOrders(settings), ...upstreams })
    connections.use(settings)
    log.tell({ type: 'settings', retentionDays: settings.logRetentionDays })
    log.tell({ type: 'upstreams', labels: servers.labels() })
    await places.apply(settings.listeners)
    servers.closeLeft()
  }

  async function changed(file: 'settings' | 'clients' | 'rules'): Promise<void> {
    if (file === 'settings') return changedSettings()
    files = { ...files, [file]: await readResolverFile(directory, file) }
    swapPolicy()
    if (file === 'clients') log.tell({ type: 'clients', clients: files.clients })
  }

  async function changedLists(): Promise<ListsChange> {
    files = { ...files, lists: await readResolverFile(directory, 'lists') }
    return lists.compile(files.lists, swapPolicy)
  }

  if (lists.isStale(files.lists)) {
    lists.compile(files.lists, swapPolicy).catch((error: Error) => warn(`the lists: ${error.message}`))
  }
  return {
    data,
    state: () => ({
      engine: libc === undefined ? 'dgram' : 'ffi',
      engineReason,
      listeners: places.states(),
      upstreams: servers.states(data.state),
      cacheEntries: data.state.words[Shared.cacheEntries]!,
      logLost: log.lost(),
      names: lists.bundle().names,
      lists: lists.reports(),
      startedAt,
    }),
    changed: (file) => inTurn(() => changed(file)),
    changedLists: () => changedLists(),
    explain: (question) => explainName(answers.engine.policy, question, servers.ask),
    clearCache() {
      data.tell({ clearCache: true })
      answers.clearCache()
    },
    purgeLog: log.purge,
    async close() {
      await places.close()
      connections.close()
      await data.close()
      servers.close()
      await log.close()
    },
  }
}

/** The C library, or why not. Throws when the settings want it and it is not to be had. */
async function chooseEngine(
  wanted: 'auto' | 'ffi' | 'dgram',
  isCautious: boolean,
): Promise<{ libc: Libc | undefined; engineReason: string }> {
  if (wanted === 'dgram') return { libc: undefined, engineReason: 'chosen in the settings' }
  if (isCautious && wanted === 'auto')
    return { libc: undefined, engineReason: 'batched system calls ended the process' }
  try {
    return {
      libc: await openLibc(),
      engineReason: wanted === 'ffi' ? 'chosen in the settings' : 'batched system calls',
    }
  } catch (error) {
    return { libc: undefined, engineReason: (error as Error).message }
  }
}
