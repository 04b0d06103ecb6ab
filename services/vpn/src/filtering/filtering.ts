import { mkdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { FilteringDependencies } from './filtering-dependencies.ts'
import { explain, type PolicyNames } from './explain.ts'
import { inForceSoon, joinRuns } from './in-force.ts'
import { ClientSync } from './client-sync.ts'
import type { NamedPeer } from './peer-clients.ts'
import type { ListsChange } from '../resolver/lists-in-force.ts'
import type { ResolverClient, ResolverList } from '../dns/resolver-files.ts'
import { readTunnelListeners, resolverSettings, rulesOf, ResolverInput } from './resolver-input.ts'
import { explainedProfile } from './profiles/explained-profile.ts'
import { Profiles } from './profiles/profiles.ts'
import { PeerPauses } from './pauses/pauses.ts'
import { ProfilesInForce } from './profiles/profiles-in-force.ts'
import { serviceTimeZone } from './profiles/schedule.ts'
import { type Resolver, resolverStatus } from './resolver-status.ts'
import { managedHosts, ManagedRecordSets } from './managed-records/managed-records.ts'
import { LocalRecords } from './records/records.ts'
import { hostRecords, resolverRecords } from './records/resolver-records.ts'
import { allRecordRows } from './records/store.ts'
import { Zones } from './zones/zones.ts'
import { previewRule } from './rules/preview-rule.ts'
import { Rules, shownDomain } from './rules/rules.ts'
import type { DnsRulePreview, DnsRulePreviewBody } from './rules/schema.ts'
import type { DnsExplanation, DnsStatus, ExplainQuery, UpstreamTestResult } from './schema.ts'
import { listNameRows, ruleRows } from './store.ts'
import { openDnsSettings, type DnsSettingsStore } from './settings.ts'
import { testUpstream } from './upstream-test.ts'

/** Opens the settings, brings the resolver's files to what the database says, and keeps them there. */
export async function openFiltering(dependencies: FilteringDependencies): Promise<Filtering> {
  await mkdir(dependencies.directory, { recursive: true, mode: 0o700 })
  const filtering = new Filtering(dependencies)
  await filtering.open()
  return filtering
}

/** The service's side of the resolver: its configuration, its state and its log. */
export class Filtering {
  readonly #dependencies: FilteringDependencies
  readonly #db: Kysely<Tables>
  readonly #input: ResolverInput
  readonly #publishSettings: () => Promise<void>
  readonly #publishRules: () => Promise<void>
  readonly #publishRecords: () => Promise<void>
  readonly #publishZones: () => Promise<void>
  readonly #publishProfiles: () => Promise<void>
  readonly #profilesInForce: ProfilesInForce
  readonly #clients: ClientSync
  readonly #ruleNames = new Map<number, { id: string; text: string; client: string | null; clientNumber: number }>()
  /** All lists, disabled ones too: the log names those that blocked earlier. */
  #lists: readonly Pick<ResolverList, 'number' | 'id' | 'name'>[] = []
  #listsChange: ListsChange | undefined
  #settings: DnsSettingsStore | undefined
  readonly rules: Rules
  readonly records: LocalRecords
  readonly managedRecords: ManagedRecordSets
  readonly zones: Zones
  readonly profiles: Profiles
  readonly pauses: PeerPauses
  readonly resolver: Resolver
  readonly names: PolicyNames & { client(number: number): NamedPeer | undefined }

  constructor(dependencies: FilteringDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
    this.resolver = dependencies.resolver
    this.#input = new ResolverInput(dependencies.directory, async (file) => {
      dependencies.onInputChanged?.()
      if (file === 'lists') this.#listsChange = await dependencies.resolver.changedLists()
      else await dependencies.resolver.changed(file)
    })
    this.#publishSettings = joinRuns(() => this.#writeSettings())
    this.#publishRules = joinRuns(() => this.#writeRules())
    this.#publishRecords = joinRuns(() => this.#writeRecords())
    this.#publishZones = joinRuns(async () => this.#input.write('zones', await this.zones.forResolver()))
    this.#profilesInForce = new ProfilesInForce({
      ...dependencies,
      db: this.#db,
      zone: serviceTimeZone(),
      publish: () => this.#publishProfiles(),
    })
    const inForce = this.#profilesInForce
    this.#publishProfiles = joinRuns(async () => this.#input.write('profiles', inForce.forResolver()))
    this.#clients = new ClientSync({
      ...dependencies,
      db: this.#db,
      input: this.#input,
      publishSettings: this.#publishSettings,
      publishRules: this.#publishRules,
      profileOf: (peer) => inForce.numberOf(peer),
      isPaused: (id) => this.pauses.until(id) !== null,
      hasRules: (clients) => [...this.#ruleNames.values()].some(({ clientNumber }) => clients.has(clientNumber)),
    })
    this.pauses = new PeerPauses({
      ...dependencies,
      db: this.#db,
      peersChanged: (ids) => this.#soon(this.#clients.sync(ids)),
    })
    this.rules = new Rules({ ...dependencies, publish: () => this.#soon(this.#publishRules()) })
    const recordDependencies = { ...dependencies, publish: () => this.#soon(this.#publishRecords()) }
    this.records = new LocalRecords(recordDependencies)
    this.managedRecords = new ManagedRecordSets(recordDependencies)
    this.zones = new Zones({
      ...dependencies,
      publish: () => this.#soon(this.#publishZones()),
      states: () => dependencies.resolver.state?.zoneServers,
      test: (server, domain) => dependencies.resolver.testUpstream(server, domain),
    })
    this.profiles = new Profiles({ ...dependencies, inForce, publish: () => this.#soon(this.#profilesChanged()) })
    this.names = {
      rule: (number) => this.#ruleNames.get(number) ?? inForce.ruleName(number),
      list: (number) => this.#lists.find((list) => list.number === number),
      client: (number) => this.#clients.peer(number),
    }
  }

  async open(): Promise<void> {
    // Names of this host end with the suffix of peers' names.
    const publishAll = () => Promise.all([this.#publishSettings(), this.#publishRecords()])
    this.#settings = await openDnsSettings({
      ...this.#dependencies,
      db: this.#db,
      publish: (names) => this.#soon(names.includes('peer_names_suffix') ? publishAll() : this.#publishSettings()),
    })
    // Which peer `DNS_LISTEN_CLIENT` is stands in the settings, so the peers are read first.
    const open = async () => {
      await this.#profilesInForce.reload()
      await this.pauses.open()
      await this.#clients.open()
    }
    const files = [this.#publishRules, this.#publishRecords, this.#publishZones]
    for (const publish of [open, this.#publishProfiles, this.#publishSettings, ...files]) {
      // The files are written; the resolver uses them as soon as it runs.
      await publish().catch((error: unknown) =>
        this.#dependencies.log.error({ err: error }, 'the resolver was not notified'),
      )
    }
  }

  get settings(): DnsSettingsStore {
    if (this.#settings === undefined) throw new Error('the settings are not open yet')
    return this.#settings
  }

  /**
   * Applies that these peers were created, changed, deleted or expired; any of them when none are named. Resolves when that is
   * in force, or the resolver does not answer.
   */
  async peersChanged(ids?: readonly string[]): Promise<void> {
    await this.#soon(this.#clients.sync(ids))
  }

  /** Peers that may query, those on nodes too. */
  clients(): Iterable<ResolverClient> {
    return this.#clients.all()
  }

  /** The name of a peer in DNS; null for none. */
  peerName(id: string): string | null {
    const label = this.#clients.labelOf(id)
    const { peer_names_suffix: suffix } = this.settings.current()
    return label === null || suffix === null ? null : `${label}.${suffix}`
  }

  /** Applies that this host has other names. */
  async hostNamesChanged(): Promise<void> {
    await this.#soon(this.#publishRecords())
  }

  /** Applies that the hints want to know other things of queries. */
  async watchedChanged(): Promise<void> {
    await this.#soon(this.#publishSettings())
  }

  /** Applies that interfaces were created, deleted, started or stopped. */
  async interfacesChanged(): Promise<void> {
    await this.#soon(Promise.all([this.#publishSettings(), this.#reassigned()]))
  }

  /** Applies that groups of peers changed: profiles are assigned to them. */
  async groupsChanged(): Promise<void> {
    if (this.#profilesInForce.isUsed) await this.#soon(this.#reassigned())
  }

  /** Peers may have other profiles: what these are assigned to has changed, or is gone. */
  async #reassigned(): Promise<void> {
    if (this.#profilesInForce.isUsed) await this.#profilesInForce.reload()
    await this.#clients.sync()
  }

  /** What profiles say is there before peers have them. */
  async #profilesChanged(): Promise<void> {
    await this.#profilesInForce.reload()
    await Promise.all([this.#publishRules(), this.#publishProfiles()])
    await this.#clients.sync()
  }

  /** An unresponsive resolver does not delay callers: it gets the stored change later. */
  #soon(change: Promise<unknown>): Promise<boolean> {
    const { log, resolver } = this.#dependencies
    return inForceSoon({
      change,
      quietMs: () => resolver.quietMs,
      failed: (error) => log.error({ err: error }, 'the resolver was not notified of a change'),
    })
  }

  /** Writes what the resolver's files do not hold yet. */
  close(): Promise<void> {
    this.#profilesInForce.close()
    this.pauses.close()
    return this.#clients.close()
  }

  /** Compiles these lists and puts them in force; undefined when they were in force already. */
  async publishLists(lists: readonly ResolverList[]) {
    this.#lists = await listNameRows(this.#db)
    this.#listsChange = undefined
    await this.#input.write('lists', lists)
    return this.#listsChange
  }

  /** Returns the status of the resolver; `health/` adds what is wrong. */
  status(): Omit<DnsStatus, 'health'> {
    return resolverStatus(this.resolver, this.settings.current(), this.#dependencies.clock.now())
  }

  explain(question: ExplainQuery): Promise<DnsExplanation> {
    return explain(
      {
        db: this.#db,
        names: this.names,
        explainName: (request) => this.resolver.explain(request),
        profileOf: async (peer, holds) =>
          explainedProfile(peer, await this.profiles.ofPeer(peer.id), this.#profilesInForce.numbered(holds)),
      },
      question,
    )
  }

  testUpstream(upstream: string): Promise<UpstreamTestResult> {
    return testUpstream(this.resolver, upstream)
  }

  /** Counts the queries of the last 24 hours that a rule would have changed. */
  preview(input: DnsRulePreviewBody): Promise<DnsRulePreview> {
    return previewRule({ ...this.#dependencies, db: this.#db, client: (number) => this.names.client(number) }, input)
  }

  async #writeSettings(): Promise<void> {
    const { hasTunnels, extraListeners, engine } = this.#dependencies
    const tunnels = hasTunnels ? await readTunnelListeners(this.#db) : []
    await this.#input.write(
      'settings',
      resolverSettings(this.settings.current(), this.settings.upstreams(), {
        engine,
        listeners: [...tunnels, ...extraListeners],
        listenClient: this.#clients.listenClient,
        watched: this.#dependencies.watched(),
      }),
    )
  }

  async #writeRecords(): Promise<void> {
    const { peer_names_suffix: suffix } = this.settings.current()
    const hosts = suffix === null ? [] : hostRecords((await this.#dependencies.hostNames?.()) ?? [], suffix)
    const rows = await allRecordRows(this.#db)
    await this.#input.write('records', resolverRecords(rows, hosts, await managedHosts(this.#db, rows)))
  }

  async #writeRules(): Promise<void> {
    const rules = await ruleRows(this.#db)
    this.#ruleNames.clear()
    for (const rule of rules)
      this.#ruleNames.set(rule.number, {
        id: rule.id,
        text: shownDomain(rule),
        client: rule.client_name,
        clientNumber: rule.client_number ?? 0,
      })
    await this.#input.write('rules', [...rulesOf(rules), ...this.#profilesInForce.rules()])
  }
}
