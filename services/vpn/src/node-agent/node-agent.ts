import { type Log, SettledClock, type Timers } from '@hearth/runtime'
import { readHostNetworks } from '../interfaces/host-networks.ts'
import { noteContact } from './contact.ts'
import { ControlLink } from './control-link.ts'
import type { NodeDataPlane } from './data-plane.ts'
import { followDns } from './dns/dns-loop.ts'
import { NodeResolver } from './dns/node-resolver.ts'
import { QueryJournal } from './dns/query-journal.ts'
import { sendQueries } from './dns/query-loop.ts'
import type { Identity } from './identity.ts'
import { KeyWatch } from './key-watch.ts'
import { NodePage } from './node-page.ts'
import { NodeTunnels } from './node-tunnels.ts'
import { ReportLoop } from './report-loop.ts'
import { followState } from './state-loop.ts'
import { TrafficRecorder } from './traffic-recorder.ts'
import { WantedState } from './wanted-state.ts'

export interface NodeAgentDependencies {
  readonly identity: Identity
  /** Data directory of the node. */
  readonly directory: string
  readonly dataPlane: Omit<NodeDataPlane, 'choice'>
  /** Without real tunnels nobody asks for names, and there are no addresses to answer at. */
  readonly hasTunnels: boolean
  /** Pause between two checks of the tunnels, milliseconds. */
  readonly checkEveryMs: number
  readonly log: Log
  readonly timers: Timers
  /** Version of Hearth on this host. */
  readonly version: string
}

/** What runs on a node: tunnels as the service wants them, and reports, whether or not the service answers. */
export class NodeAgent {
  readonly #dependencies: NodeAgentDependencies
  readonly #link: ControlLink
  readonly #recorder: TrafficRecorder
  readonly #tunnels: NodeTunnels
  readonly #pageLink: ControlLink
  readonly #page: NodePage
  readonly #keys: KeyWatch
  readonly #wanted: WantedState
  readonly #journal: QueryJournal
  readonly #resolver: NodeResolver
  readonly #reports: ReportLoop
  readonly #end = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  private constructor(dependencies: NodeAgentDependencies, recorder: TrafficRecorder) {
    const { identity, directory, dataPlane, checkEveryMs, log, timers, version } = dependencies
    this.#dependencies = dependencies
    this.#recorder = recorder
    this.#link = new ControlLink(identity)
    this.#tunnels = new NodeTunnels({
      ...dataPlane,
      log,
      timers,
      checkEveryMs,
      countTraffic: (names) => this.#count(names),
      onApplying: (waiting) => this.#keys.prepare(waiting),
      onApplied: () => this.#keys.stateChanged(),
      onChanged: () => this.#reports.wake(),
    })
    this.#pageLink = new ControlLink(identity)
    this.#page = this.#createPage()
    this.#keys = new KeyWatch({
      tunnels: this.#tunnels,
      gate: dataPlane.openGate({ log, timers }),
      timers,
      log,
      onUsed: async () => {
        await this.#count(this.#tunnels.names())
        this.#reports.wake()
      },
    })
    this.#wanted = new WantedState({ directory, tunnels: this.#tunnels, page: this.#page, log })
    const [link, journal] = [this.#link, new QueryJournal({ directory, log, settled: new SettledClock(timers) })]
    this.#journal = journal
    this.#resolver = new NodeResolver({
      directory,
      link,
      journal,
      clock: timers,
      log,
      onChanged: () => this.#reports.wake(),
    })
    this.#reports = new ReportLoop({
      link: this.#link,
      wanted: this.#wanted,
      recorder,
      resolver: this.#resolver,
      pageErrorOf: (name) => this.#page.errorOf(name),
      networks: readHostNetworks,
      countTraffic: () => this.#count(this.#tunnels.names()),
      onAnswered: () => noteContact(directory, new Date(timers.now())),
      timers,
      log,
      url: identity.url,
      version,
    })
  }

  #createPage(): NodePage {
    const { timers, log } = this.#dependencies
    const relay = {
      link: this.#pageLink,
      timers,
      log,
      isPeer: (name: string, address: string) => this.#tunnels.isPeerAddress(name, address),
    }
    return new NodePage({
      timers,
      log,
      // Loaded with the first page: it takes what serves HTTP.
      load: async () => (await import('./page-relay.ts')).createPageRelay(relay),
      isUp: (name) => this.#tunnels.statuses().some((one) => one.name === name && one.status === 'up'),
      onChanged: () => this.#reports.wake(),
    })
  }

  static async open(dependencies: NodeAgentDependencies): Promise<NodeAgent> {
    const { directory, timers: clock, log } = dependencies
    return new NodeAgent(dependencies, await TrafficRecorder.open({ directory, clock, log }))
  }

  /** Brings up what is on the disk, without asking anybody, and begins to follow the service. */
  async start(): Promise<void> {
    const { signal } = this.#end
    const { timers, log, hasTunnels } = this.#dependencies
    const [link, wanted, resolver] = [this.#link, this.#wanted, this.#resolver]
    // Names are answered as soon as the tunnels are up.
    const startDns = () =>
      resolver.start().catch((error: Error) => log.error(`the resolver was not started: ${error.message}`))
    await Promise.all([wanted.start(), hasTunnels ? startDns() : undefined])
    const onReceived = () => this.#reports.wake()
    this.#running = Promise.all([
      this.#reports.run(signal),
      followState({ link, wanted, timers, log, onReceived }, signal),
      hasTunnels ? followDns({ link, resolver, timers, log }, signal) : undefined,
      hasTunnels ? sendQueries({ link, journal: this.#journal, timers, log }, signal) : undefined,
    ])
  }

  #count(names: readonly string[]): Promise<void> {
    return this.#recorder.take(names, (name) => this.#tunnels.read(name))
  }

  /** Ends reports and checks. The tunnels keep running. */
  async close(): Promise<void> {
    this.#end.abort()
    // A change that it takes over may take a minute, which ends with it.
    await this.#resolver.close()
    await this.#running
    await this.#page.close()
    await this.#keys.close()
    this.#pageLink.close()
    this.#link.close()
    await this.#tunnels.close()
  }
}
