import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@hearth/database'
import { momentOf, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { Problem } from '../problems.ts'
import type { Preview, PreviewWish } from '../query-log/rule-preview.ts'
import { explain, type PolicyNames } from './explain.ts'
import { inForceSoon } from './in-force.ts'
import { createClientsFile, type ClientsFile } from './clients-file.ts'
import { joinChanges, joinRuns } from './join-runs.ts'
import { PeerClients, type NamedPeer, type PeersChange } from './peer-clients.ts'
import type { ListsChange } from './process/lists-in-force.ts'
import type { ResolverState } from './process/messages.ts'
import { resolverFile, type Listener, type ResolverList, type ResolverSettings } from './process/resolver-files.ts'
import type { RunningResolver } from './process/running-resolver.ts'
import {
  createResolverInput,
  readRules,
  readTunnelListeners,
  resolverSettings,
  rulesOf,
  type ResolverInput,
} from './resolver-input.ts'
import { createRules, previewedRule, shownDomain, type RuleHits, type Rules } from './rules/rules.ts'
import type { DnsRulePreview, DnsRulePreviewBody } from './rules/schema.ts'
import type { DnsExplanation, DnsStatus, UpstreamTestResult } from './schema.ts'
import { checkUpstream, openDnsSettings, type DnsSettingsKeeper } from './settings.ts'

/** The end of the service waits so long, milliseconds, for changes of peers that are under way. */
const patience = 3000

/** The running resolver, as far as filtering needs it. */
export type Resolver = Pick<
  RunningResolver,
  | 'changed'
  | 'changedClients'
  | 'beginClientsFile'
  | 'changedLists'
  | 'explain'
  | 'askUpstream'
  | 'purgeLog'
  | 'clearCache'
  | 'state'
  | 'restarts'
  | 'quietMs'
>

export interface FilteringParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly resolver: Resolver
  readonly engine: ResolverSettings['engine']
  /** `DNS_LISTEN`. */
  readonly extraListeners: readonly Listener[]
  /** `DNS_LISTEN_CLIENT`, a peer's name. */
  readonly listenClient: string | undefined
  readonly fixedUpstreams: readonly string[] | undefined
  /** Without real tunnels there are no tunnel addresses to listen on. */
  readonly hasTunnels: boolean
  readonly hits: () => Promise<ReadonlyMap<number, RuleHits>>
  readonly preview: (wish: Omit<PreviewWish, 'now'>) => Promise<Preview>
}

/** Everything the service does for its resolver: what it decides by, and what it says. */
export interface Filtering {
  readonly settings: DnsSettingsKeeper
  readonly rules: Rules
  readonly names: PolicyNames & { client(number: number): NamedPeer | undefined }
  /**
   * These peers came, changed, went or expired; all may have when none are named. Resolves when that is in force, or the
   * resolver does not answer.
   */
  peersChanged(ids?: readonly string[]): Promise<void>
  /** Interfaces came, went, started or stopped. */
  interfacesChanged(): Promise<void>
  /** Compiles these lists and puts them in force; undefined when they were in force already. */
  publishLists(lists: readonly ResolverList[]): Promise<ListsChange | undefined>
  /** How the resolver does; `health/` adds what is wrong. */
  status(): Omit<DnsStatus, 'health'>
  explain(question: { domain: string; client: string | undefined; resolve: boolean }): Promise<DnsExplanation>
  testUpstream(upstream: string): Promise<UpstreamTestResult>
  /** What a rule would have changed in the last 24 hours. */
  preview(rule: DnsRulePreviewBody): Promise<DnsRulePreview>
  readonly resolver: Resolver
  /** Writes what the resolver's files do not hold yet. */
  close(): Promise<void>
}

/** Opens the settings, brings the resolver's files to what the database says, and keeps them there. */
export async function openFiltering(parts: FilteringParts): Promise<Filtering> {
  await mkdir(parts.directory, { recursive: true, mode: 0o700 })
  const filtering = new ServiceFiltering(parts)
  await filtering.open()
  return filtering
}

class ServiceFiltering implements Filtering {
  readonly #parts: FilteringParts
  readonly #db: Kysely<Tables>
  readonly #input: ResolverInput
  readonly #publishSettings: () => Promise<void>
  readonly #publishRules: () => Promise<void>
  readonly #peers: PeerClients
  readonly #clientsFile: ClientsFile
  readonly #ruleNames = new Map<number, { id: string; text: string; client: string | null; clientNumber: number }>()
  /** All there are: the log knows those that are switched off now, too. */
  #lists: readonly Pick<ResolverList, 'number' | 'id' | 'name'>[] = []
  #listsChange: ListsChange | undefined
  /** What follows from changes of peers and is not done yet: peers whose log is to be forgotten, files to be written. */
  readonly #owed = { purges: new Set<number>(), rules: false, settings: false }
  /** The peer's number that queries on extra addresses count as. */
  #listenClient = 0
  #settings: DnsSettingsKeeper | undefined
  readonly rules: Rules
  readonly resolver: Resolver
  readonly #syncPeers: (ids?: readonly string[]) => Promise<void>
  readonly names: Filtering['names']

  constructor(parts: FilteringParts) {
    this.#parts = parts
    this.#db = parts.database.query
    this.resolver = parts.resolver
    this.#input = createResolverInput(parts.directory, async (file) => {
      if (file === 'lists') this.#listsChange = await parts.resolver.changedLists()
      else await parts.resolver.changed(file)
    })
    this.#publishSettings = joinRuns(() => this.#writeSettings())
    this.#peers = new PeerClients(this.#db, parts.clock)
    this.#clientsFile = createClientsFile({
      path: join(parts.directory, resolverFile.clients),
      clients: () => this.#peers.clients(),
      begin: () => parts.resolver.beginClientsFile(),
      log: parts.log,
    })
    this.#syncPeers = joinChanges((ids) => this.#readPeers(ids))
    this.#publishRules = joinRuns(() => this.#writeRules())
    this.rules = createRules({ ...parts, publish: () => this.#soon(this.#publishRules()) })
    this.names = {
      rule: (number) => this.#ruleNames.get(number),
      list: (number) => this.#lists.find((list) => list.number === number),
      client: (number) => this.#peers.peer(number),
    }
  }

  async open(): Promise<void> {
    this.#settings = await openDnsSettings({
      ...this.#parts,
      db: this.#db,
      publish: () => this.#soon(this.#publishSettings()),
    })
    // Which peer `DNS_LISTEN_CLIENT` is stands in the settings, so the peers are read first.
    for (const publish of [() => this.#openClients(), this.#publishSettings, this.#publishRules]) {
      // The files are written; the resolver goes by them as soon as it runs.
      await publish().catch((error: unknown) => this.#parts.log.error({ err: error }, 'the resolver is not told'))
    }
  }

  get settings(): DnsSettingsKeeper {
    if (this.#settings === undefined) throw new Error('the settings are not open yet')
    return this.#settings
  }

  async peersChanged(ids?: readonly string[]): Promise<void> {
    await this.#soon(this.#syncPeers(ids))
  }

  async interfacesChanged(): Promise<void> {
    await this.#soon(Promise.all([this.#publishSettings(), this.#syncPeers()]))
  }

  /** A resolver that does not answer keeps nobody waiting: what is stored reaches it later. */
  #soon(change: Promise<unknown>): Promise<boolean> {
    const { log, resolver } = this.#parts
    return inForceSoon({
      change,
      quietMs: () => resolver.quietMs,
      failed: (error) => log.error({ err: error }, 'the resolver is not told of a change'),
    })
  }

  async close(): Promise<void> {
    // Changes that nobody waited for are taken in; not for longer than the end of the service can wait.
    const done = this.#syncPeers([]).catch(() => undefined)
    await Promise.race([done, pause(patience, undefined, { ref: false })])
    await this.#clientsFile.close()
  }

  async publishLists(lists: readonly ResolverList[]) {
    this.#lists = await this.#db.selectFrom('lists').select(['number', 'id', 'name']).execute()
    this.#listsChange = undefined
    await this.#input.writeLists(lists)
    return this.#listsChange
  }

  status(): Omit<DnsStatus, 'health'> {
    const state = this.resolver.state
    const { blocking_enabled: enabled, pausedUntil } = this.settings.current()
    const isPaused = pausedUntil > this.#parts.clock.now()
    return {
      running: state !== undefined,
      unavailable: unavailable(state),
      engine: state?.engine ?? null,
      engine_reason: state?.engineReason ?? 'the resolver is starting',
      started_at: state === undefined ? null : momentOf(state.startedAt),
      restarts: this.resolver.restarts,
      listeners: (state?.listeners ?? []).map(({ address, port, error }) => ({ address, port, error })),
      upstreams: (state?.upstreams ?? []).map((each) => ({
        upstream: each.label,
        queries: each.queries,
        failures: each.failures,
        average_ms: each.averageMs,
        healthy: each.isHealthy,
        last_error: each.lastError,
      })),
      blocking: { enabled, paused_until: isPaused ? momentOf(pausedUntil) : null },
      blocked_names: state?.names ?? 0,
      cache_entries: state?.cacheEntries ?? 0,
      log_entries_lost: state?.logLost ?? 0,
    }
  }

  explain(question: { domain: string; client: string | undefined; resolve: boolean }): Promise<DnsExplanation> {
    return explain(
      { db: this.#db, names: this.names, ask: (asked) => orUnavailable(this.resolver.explain(asked)) },
      question,
    )
  }

  async testUpstream(upstream: string): Promise<UpstreamTestResult> {
    checkUpstream(upstream, 'upstream')
    try {
      return { ok: true, milliseconds: await this.resolver.askUpstream(upstream), error: null }
    } catch (error) {
      return { ok: false, milliseconds: null, error: error instanceof Error ? error.message : 'no answer' }
    }
  }

  async preview(input: DnsRulePreviewBody): Promise<DnsRulePreview> {
    const rule = await previewedRule(this.#db, input)
    const { changed, matching, clients } = await this.#parts.preview({
      rule,
      rules: rulesOf(await readRules(this.#db)),
    })
    return {
      changed,
      matching,
      clients: clients.map(({ client, name, changed: count }) => ({
        client: this.names.client(client)?.name ?? name,
        changed: count,
      })),
    }
  }

  async #writeSettings(): Promise<void> {
    const { hasTunnels, extraListeners, engine } = this.#parts
    const tunnels = hasTunnels ? await readTunnelListeners(this.#db) : []
    await this.#input.writeSettings(
      resolverSettings(this.settings.current(), this.settings.upstreams(), {
        engine,
        listeners: [...tunnels, ...extraListeners],
        listenClient: this.#listenClient,
      }),
    )
  }

  /** At the start all clients are written, whatever the file says. */
  async #openClients(): Promise<void> {
    this.#findListenClient(await this.#peers.read())
    await this.#input.writeClients([...this.#peers.clients()])
  }

  async #readPeers(ids: readonly string[] | undefined): Promise<void> {
    const change = await this.#peers.read(ids)
    const { clients, gone, renamed } = change
    const touched = new Set([...gone, ...renamed])
    // Known at once: the settings name it, also those that are written while the resolver is away.
    if (this.#findListenClient(change)) this.#owed.settings = true
    // What a peer looked up goes with it, and its rules; a rule shows its peer's name.
    for (const number of gone) this.#owed.purges.add(number)
    if ([...this.#ruleNames.values()].some(({ clientNumber }) => touched.has(clientNumber))) this.#owed.rules = true
    if (clients.set.length > 0 || clients.removed.length > 0) {
      this.#clientsFile.changed()
      await this.#parts.resolver.changedClients(clients)
    }
    await this.#settleWhatIsOwed()
  }

  async #settleWhatIsOwed(): Promise<void> {
    if (this.#owed.rules) await this.#publishRules()
    this.#owed.rules = false
    if (this.#owed.settings) await this.#publishSettings()
    this.#owed.settings = false
    for (const number of this.#owed.purges) {
      await this.resolver.purgeLog(this.#parts.clock.now(), number)
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

  async #writeRules(): Promise<void> {
    const rules = await readRules(this.#db)
    this.#ruleNames.clear()
    for (const rule of rules)
      this.#ruleNames.set(rule.number, {
        id: rule.id,
        text: shownDomain(rule),
        client: rule.client_name,
        clientNumber: rule.client_number ?? 0,
      })
    await this.#input.writeRules(rulesOf(rules))
  }
}

function unavailable(state: ResolverState | undefined): string | null {
  if (state === undefined) return 'The resolver is starting'
  const failed = state.listeners.filter(({ error }) => error !== null)
  if (state.listeners.length === 0) return 'There is no address to listen on: no interface runs'
  return failed.length === state.listeners.length ? (failed[0]?.error ?? null) : null
}

async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new Problem('internal', 'The resolver does not answer at the moment; try again', { cause: error })
  }
}
