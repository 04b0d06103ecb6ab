import { networkInterfaces } from 'node:os'
import type { Log, Timers } from '@hearth/runtime'
import type { Catalog } from '../catalog/catalog.ts'
import type { Device } from '../devices/device.ts'
import { addressesOf } from '../devices/host-addresses.ts'
import { usualPort } from '../devices/schema.ts'
import { invalid, Problem } from '../problems.ts'
import { hostsOf, isBoundTo, maxAddresses, networkOf, networksOf } from './host-networks.ts'
import type { FoundEndpoint, InverterSearchView, SearchNetwork } from './schema.ts'

/** Connections at a time, and pause between the begins of two; milliseconds. */
const atOnce = 16
const pauseMs = 25

/** Longest time of a search, and least time between the begins of two; milliseconds. */
const maxMs = 120_000
const restMs = 10_000

/** Least time between two updates of the pages, milliseconds. */
const updateMs = 500

/** Most results that are kept. */
const maxFound = 64

export interface SearchDependencies {
  readonly catalog: Catalog
  readonly timers: Timers
  readonly log: Log
  readonly devices: () => readonly Device[]
  /** Ids of devices by the addresses that they were reached at, of those at the usual port. */
  readonly connected: () => ReadonlyMap<string, string>
  /** Networks that are searched instead of those of the interfaces. */
  readonly networks: readonly string[]
  /** Address at which Hearth shares an inverter at the usual port; undefined when it does not. */
  readonly sharedAt: () => string | undefined
  /** True for a command while no service runs. */
  readonly isOffline: boolean
  readonly changed: () => void
}

const nothing: Omit<InverterSearchView, 'networks' | 'port'> = {
  state: 'idle',
  begun_at: null,
  searched: [],
  checked: 0,
  total: 0,
  found: [],
}

/** Finds inverters in the private networks of this host, on request alone. */
export class InverterSearch {
  readonly #dependencies: SearchDependencies
  #last = nothing
  #begunAt = -Infinity
  #end: AbortController | undefined
  #running: Promise<void> = Promise.resolve()
  #updatedAt = -Infinity

  constructor(dependencies: SearchDependencies) {
    this.#dependencies = dependencies
  }

  view(): InverterSearchView {
    return { networks: this.#networks(), port: usualPort, ...this.#last }
  }

  /** Begins a search. Throws 422 for a network that is none of this host, and `conflict` while one runs or right after one. */
  begin(wanted: readonly string[]): InverterSearchView {
    const { timers, isOffline } = this.#dependencies
    const networks = this.#chosen(wanted)
    if (isOffline) throw new Problem('conflict', 'The service does not run, and only a running one searches')
    if (this.#end !== undefined) throw new Problem('conflict', 'A search is running already')
    if (timers.monotonic() - this.#begunAt < restMs)
      throw new Problem('conflict', `Wait ${restMs / 1000} seconds between two searches`)
    this.#begunAt = timers.monotonic()
    this.#last = {
      state: 'searching',
      begun_at: new Date(timers.now()).toISOString(),
      searched: networks.map(({ network }) => network),
      checked: 0,
      total: networks.reduce((sum, { addresses }) => sum + addresses, 0),
      found: [],
    }
    this.#end = new AbortController()
    // Not awaited: results come one by one.
    this.#running = this.#search(networks, this.#end)
    return this.view()
  }

  /** Ends the search; what was found stays. */
  async cancel(): Promise<InverterSearchView> {
    this.#end?.abort('cancelled')
    await this.#running
    return this.view()
  }

  async close(): Promise<void> {
    this.#end?.abort('cancelled')
    await Promise.race([this.#running, this.#dependencies.timers.delay(1000)])
  }

  #networks(): SearchNetwork[] {
    const { networks } = this.#dependencies
    if (networks.length === 0) return networksOf(networkInterfaces())
    return networks.flatMap((cidr) => {
      const network = networkOf(cidr, 'SEARCH_NETWORKS')
      return network === undefined ? [] : [{ ...network, reason: null }]
    })
  }

  #chosen(wanted: readonly string[]): SearchNetwork[] {
    const known = this.#networks()
    const chosen = [...new Set(wanted)].map((name) => {
      const network = known.find((one) => one.network === name)
      if (network === undefined) throw invalid('networks', `names ${name}, which is no network of this host`)
      if (network.reason !== null) throw invalid('networks', `names ${name}, which is not searched: ${network.reason}`)
      return network
    })
    const total = chosen.reduce((sum, { addresses }) => sum + addresses, 0)
    if (total > maxAddresses) throw invalid('networks', `have ${total} addresses; at most ${maxAddresses} are searched`)
    return chosen
  }

  async #search(networks: readonly SearchNetwork[], end: AbortController): Promise<void> {
    const { timers, log, changed } = this.#dependencies
    const cancelLimit = timers.after(maxMs, () => end.abort('timed_out'))
    changed()
    try {
      const configured = await this.#configured()
      const hosts = networks.values().flatMap((network) => hostsOf(network))
      const work = async () => {
        for (const host of hosts) {
          if (end.signal.aborted) return
          await this.#check(host, configured, end.signal)
          this.#update({ checked: this.#last.checked + 1 })
        }
      }
      const workers: Promise<void>[] = []
      while (workers.length < atOnce) {
        workers.push(work())
        await timers.delay(pauseMs)
      }
      await Promise.all(workers)
    } catch (error) {
      log.error({ err: error }, 'the search for inverters failed')
      end.abort('cancelled')
    }
    cancelLimit()
    this.#end = undefined
    const reason: unknown = end.signal.reason
    this.#last = { ...this.#last, state: reason === 'timed_out' || reason === 'cancelled' ? reason : 'done' }
    changed()
  }

  async #check(host: string, configured: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    const { catalog, timers, devices } = this.#dependencies
    const device = devices().find(({ id }) => id === configured.get(host))
    // An inverter bears no second client, so one that is configured is not asked.
    if (device !== undefined) {
      this.#add({
        ...unknownEndpoint(host),
        kind: 'configured',
        device_id: device.id,
        serial: device.serial,
        name: device.displayName,
        firmware: device.firmware,
      })
      return
    }
    if (isBoundTo(this.#dependencies.sharedAt(), host, networkInterfaces())) {
      this.#add({ ...unknownEndpoint(host), detail: "This is Hearth's own shared port." })
      return
    }
    const { identifyEndpoint } = await import('./identify-endpoint.ts')
    const found = await identifyEndpoint(host, { catalog, timers, signal })
    if (found !== undefined) this.#add(found)
  }

  #add(found: FoundEndpoint): void {
    if (this.#last.found.length < maxFound) this.#update({ found: [...this.#last.found, found] })
  }

  #update(values: Partial<InverterSearchView>): void {
    const { timers, changed } = this.#dependencies
    this.#last = { ...this.#last, ...values }
    if (values.found === undefined && timers.monotonic() - this.#updatedAt < updateMs) return
    this.#updatedAt = timers.monotonic()
    changed()
  }

  /** Ids of the configured inverters at the usual port, by their addresses. */
  async #configured(): Promise<ReadonlyMap<string, string>> {
    const { devices, timers, connected } = this.#dependencies
    const known = new Map<string, string>()
    const resolve = async ({ id, host }: Device) => {
      for (const address of await addressesOf(host, timers)) known.set(address, id)
    }
    await Promise.all(
      devices()
        .filter(({ isSimulated, port }) => !isSimulated && port === usualPort)
        .map(resolve),
    )
    // A name may have moved, or be unknown at present: what is connected counts.
    for (const [address, id] of connected()) known.set(address, id)
    return known
  }
}

/** An endpoint of which nothing is known. */
export const unknownEndpoint = (address: string): FoundEndpoint => ({
  address,
  port: usualPort,
  kind: 'other',
  detail: null,
  device_id: null,
  serial: null,
  name: null,
  firmware: null,
})
