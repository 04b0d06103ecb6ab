import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { joinRuns } from '../filtering/in-force.ts'
import type { HostName } from '../filtering/records/resolver-records.ts'
import type { DesiredDevices } from '../interfaces/desired-devices.ts'
import { hostsOf } from '../interfaces/network-checks.ts'
import { allInterfaceRows, interfaceRowsOn } from '../interfaces/store.ts'
import type { Settings } from '../settings/schema.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { pageLabel } from '../filtering/peer-names/peer-names.ts'
import { type AnswerPage, PageListeners, type PagePlace } from './page-listeners.ts'
import { hostNamesOf, pageNames, type PageNames } from './page-names.ts'
import type { TunnelPageStatus } from './schema.ts'
import { isLabelOfPeer } from './store.ts'

/** Dependencies of the page. */
export interface TunnelPageDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Pick<Timers, 'after'>
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly settings: () => Settings
  /** False where WireGuard is simulated: there is no tunnel that a request could come through. */
  readonly hasTunnels: boolean
  readonly tunnels: Pick<Tunnels, 'withLock'>
  readonly desired: Pick<DesiredDevices, 'rules'>
  /** What names of peers end with; null for none. */
  readonly suffix: () => string | null
  /** Called when the page has other names. */
  readonly onNamesChanged: () => Promise<void>
  /** What keeps the page of an interface on a node from listening there; null when it listens. */
  readonly errorOnNode: (name: string) => string | null
  /** The same of the standby of an interface, while that runs it. */
  readonly errorOnStandby: (name: string) => string | null
  /** Called when nodes are to have a page, or none, or at another port. */
  readonly onNodesChanged: () => void
  /** Loads what answers, with the first switch. */
  readonly load: () => Promise<AnswerPage>
}

/** Time until a place that could not be listened at is tried again, milliseconds. */
const againMs = 5000

const simulated = 'WireGuard is simulated, so there is no tunnel to reach the page through'

/**
 * The page for the people behind peers: at the addresses of each interface, behind firewall rules that let nothing reach it but
 * what came through that interface. WireGuard binds the source of such a packet to the key of a peer.
 */
export class TunnelPage {
  readonly #dependencies: TunnelPageDependencies
  #listeners: PageListeners | undefined
  #lastPort: number | null = null
  /** The port of the page on nodes as they were told last; undefined before the start. */
  #lastOnNodes: number | null | undefined
  /** Port of the page in the rules of each interface: a check of the firewall in between must not see a change as drift. */
  readonly #ruled = new Map<string, number | null>()
  #cancel: () => void = () => undefined
  #isClosed = false
  /** Brings rules, servers and names to what the settings and the interfaces say. Never rejects. */
  readonly sync: () => Promise<void>

  constructor(dependencies: TunnelPageDependencies) {
    this.#dependencies = dependencies
    const run = joinRuns(() => this.#sync())
    this.sync = () => run().catch((error: unknown) => this.#failed(error))
  }

  /** The port of the page on this host; null while it is off. */
  get port(): number | null {
    return this.#dependencies.hasTunnels && !this.#isClosed ? this.portOnNodes : null
  }

  /** The port of the page on nodes, which have it while this service is away, too; null while it is off. */
  get portOnNodes(): number | null {
    const { tunnel_page_enabled: isOn, tunnel_page_port: port } = this.#dependencies.settings()
    return isOn ? port : null
  }

  /** The port that the firewall of an interface is to keep for the page; null for none. */
  portOf(name: string): number | null {
    const ruled = this.#ruled.get(name)
    return ruled === undefined ? this.port : ruled
  }

  /** Names of this host for peers. */
  async hostNames(): Promise<HostName[]> {
    const names = await this.#placedNames()
    // Who asks from outside the tunnels is led to a page of this host, if there is one.
    return hostNamesOf([...names.filter(({ isHere }) => isHere), ...names.filter(({ isHere }) => !isHere)])
  }

  /** The hosts that a browser may say it asks for, at the page of an interface. */
  async hostsOf(name: string): Promise<string[]> {
    const found = (await this.#names()).find((one) => one.interface === name)
    if (found === undefined) return []
    const { suffix } = this.#dependencies
    const end = suffix()
    return [...(end === null ? [] : found.labels.map((label) => `${label}.${end}`)), ...found.addresses.map(urlHost)]
  }

  async status(): Promise<TunnelPageStatus> {
    const { settings, hasTunnels, suffix, errorOnNode, errorOnStandby } = this.#dependencies
    const port = this.portOnNodes
    const end = suffix()
    const places = (await this.#placedNames()).flatMap(({ interface: name, addresses, labels, isHere }) =>
      addresses.map((address) => {
        const place = { interface: name, address, port: port ?? 0 }
        const hosts = [...(end === null ? [] : labels.map((label) => `${label}.${end}`)), urlHost(address)]
        const urls = hosts.map((host) => `http://${host}${port === 80 ? '' : `:${port}`}/`)
        const own = isHere ? this.#listeners?.errorAt(place) : errorOnNode(name)
        const error = own === undefined ? 'the interface does not run' : (own ?? errorOnStandby(name))
        return { ...place, urls, error }
      }),
    )
    const isOn = settings().tunnel_page_enabled
    return { enabled: isOn, unavailable: isOn && !hasTunnels && places.length === 0 ? simulated : null, places }
  }

  /** Stops answering. The firewall keeps the addresses closed, as tunnels keep running. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.sync()
  }

  async #sync(): Promise<void> {
    const { hasTunnels, load, onNamesChanged, onNodesChanged } = this.#dependencies
    const { port, portOnNodes } = this
    this.#cancel()
    if (this.#isClosed) return this.#listeners?.bring([])
    const wasOnNodes = this.#lastOnNodes
    this.#lastOnNodes = portOnNodes
    if (wasOnNodes !== portOnNodes) onNodesChanged()
    const hasNames = portOnNodes !== null || (wasOnNodes ?? null) !== null
    if (!hasTunnels) return hasNames ? onNamesChanged() : undefined
    const running = (await interfaceRowsOn(this.#dependencies.db, null)).filter(({ enabled }) => enabled === 1)
    for (const name of this.#ruled.keys()) if (!running.some((row) => row.name === name)) this.#ruled.delete(name)
    // Nobody listens without a rule that holds: it comes before the server and goes after it.
    if (port !== this.#lastPort) await this.#listeners?.bring([])
    this.#lastPort = port
    const places: PagePlace[] = []
    for (const row of running) if (await this.#isGuarded(row, port)) places.push(...placesOf(row, port))
    if (port !== null) {
      this.#listeners ??= new PageListeners(await load())
      await this.#listeners.bring(places)
    }
    if (hasNames) await onNamesChanged()
    const isGuarded = running.every(({ name }) => places.some((place) => place.interface === name))
    const isWhole = port === null || (isGuarded && places.every((place) => this.#listeners?.errorAt(place) === null))
    if (!isWhole) this.#again()
    if (port === null) this.#listeners = undefined
  }

  /** Puts the rules of an interface in force; false when it has none, or they do not let the page be. */
  async #isGuarded(row: InterfaceRow, port: number | null): Promise<boolean> {
    const { tunnels, desired, log } = this.#dependencies
    try {
      return await tunnels.withLock(row.name, async (changes) => {
        const inForce = changes.rules(row.name)
        if (inForce === null) return false
        this.#ruled.set(row.name, port)
        if ((inForce.page?.port ?? null) !== port)
          await changes.apply(row.name, [], { newRules: await desired.rules(row) })
        return port !== null
      })
    } catch (error) {
      log.error({ err: error, interface: row.name }, 'the firewall does not guard the page inside the tunnel')
      return false
    }
  }

  /** The names of the pages of all interfaces that run here or on a node. */
  async #names(): Promise<PlacedNames[]> {
    const { db } = this.#dependencies
    const rows = (await allInterfaceRows(db)).filter(({ enabled }) => enabled === 1)
    const places = new Map(rows.map((row) => [row.name, row]))
    const names = pageNames(rows, await isLabelOfPeer(db, pageLabel))
    return names.map((each) => {
      const hosts = hostsOf(places.get(each.interface) ?? {})
      return Object.assign({ isHere: hosts[0] === null, isOnNode: hosts.some((host) => host !== null) }, each)
    })
  }

  /** Those of the pages that are to be there: on this host only where it has tunnels. */
  async #placedNames(): Promise<PlacedNames[]> {
    const [here, onNodes] = [this.port !== null, this.portOnNodes !== null]
    return (await this.#names()).filter(({ isHere, isOnNode }) => (isHere && here) || (isOnNode && onNodes))
  }

  #failed(error: unknown): void {
    this.#dependencies.log.error({ err: error }, 'the page inside the tunnel could not be brought to its settings')
    this.#again()
  }

  #again(): void {
    if (this.#isClosed) return
    this.#cancel = this.#dependencies.timers.after(againMs, () => void this.sync())
  }
}

/** Names of a page, and where it is. */
type PlacedNames = PageNames & { readonly isHere: boolean; readonly isOnNode: boolean }

const placesOf = ({ name, ...row }: InterfaceRow, port: number | null): PagePlace[] =>
  pageNames([{ name, ...row }], true).flatMap(({ addresses }) =>
    addresses.map((address) => ({ interface: name, address, port: port ?? 0 })),
  )

const urlHost = (address: string): string => (address.includes(':') ? `[${address}]` : address)
