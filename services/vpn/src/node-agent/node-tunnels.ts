import type { Log, Timers } from '@hearth/runtime'
import type { AccessTable } from '../access-rules/policy/table.ts'
import { type NodeState, policyOfNode } from '../nodes/node-state.ts'
import type { WatchedDevice } from '../handshakes/handshake-gate.ts'
import type { Report } from '../nodes/link-schema.ts'
import type { DeviceState, WireGuardDriver } from '../wireguard/device.ts'
import { diffPeers } from '../wireguard/device-diff.ts'
import { describeDrift, desiredPeers, type DesiredDevice } from '../wireguard/drift.ts'
import type { Firewall } from '../wireguard/firewall.ts'
import { publicKeyOf } from '../wireguard/keys.ts'
import type { LimitTable } from '../wireguard/limit-table.ts'
import { changeInBatches, deviceErrorOf } from '../wireguard/peer-batch.ts'
import { Tunnels } from '../wireguard/tunnels.ts'
import { nextExpiry, withoutExpired } from './expired-peers.ts'
import { OwnDevices } from './own-devices.ts'
import { devicesWithWaitingKeys, waitingKeys, withUsedKeys } from './used-keys.ts'
import { differingDevices, narrowDevices, sharedPeers, stopped, stricterLimits } from './state-steps.ts'

/** Status of an interface as a report says it. */
export type InterfaceStatus = NonNullable<Report['interfaces']>[number]

export interface NodeTunnelsDependencies {
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  readonly limitTable: LimitTable
  readonly accessTable: AccessTable
  readonly log: Log
  readonly timers: Pick<Timers, 'now' | 'after'>
  /** Pause between two checks of the tunnels, milliseconds. */
  readonly checkEveryMs: number
  /** Counts the traffic of devices before and after their peers go. */
  readonly countTraffic: (names: readonly string[]) => Promise<void>
  /** Called before another state comes into force, with the interfaces on which new keys will wait. */
  readonly onApplying?: (waiting: readonly WatchedDevice[]) => Promise<void>
  /** Called when another state is in force. */
  readonly onApplied?: () => void
  /** Called when a check has found something. */
  readonly onChanged: () => void
}

/** The tunnels of this node with their firewall, limits and access rules: brings a wanted state into force and keeps it there. */
export class NodeTunnels {
  readonly #dependencies: NodeTunnelsDependencies
  readonly #tunnels: Tunnels
  readonly #own = new OwnDevices()
  /** State in force; undefined until one is. */
  #inForce: NodeState | undefined
  /** The interfaces of that state with all their peers, also those that have expired; undefined while another one is to come into force. */
  #given: NodeState['interfaces'] | undefined
  #cancelExpiry: () => void = () => undefined
  #desired: readonly DesiredDevice[] = []
  #isWatching = false
  /** New keys that were used and that the service does not know of yet. */
  #used = new Set<string>()
  /** Changes come one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(dependencies: NodeTunnelsDependencies) {
    this.#dependencies = dependencies
    const { log, onChanged } = dependencies
    this.#tunnels = new Tunnels({
      ...dependencies,
      driver: this.#own.guard(dependencies.driver),
      desired: (name) => Promise.resolve(this.#devices(name)),
      onDrift(drift) {
        log.warn({ interface: drift.interface }, describeDrift(drift))
        onChanged()
      },
    })
  }

  #devices(name?: string): readonly DesiredDevice[] {
    return name === undefined ? this.#desired : this.#desired.filter(({ config }) => config.name === name)
  }

  /** Names of the interfaces that run, or are to go. */
  names(): string[] {
    return this.#desired.map(({ config }) => config.name)
  }

  /** The device of an interface, or undefined; that of another program under its name is none. */
  async read(name: string): Promise<DeviceState | undefined> {
    const state = await this.#tunnels.read(name)
    return state !== undefined && this.#own.has(name, state) ? state : undefined
  }

  /** Returns true for a tunnel address of a peer of an interface; addresses in networks behind peers are none. */
  isPeerAddress(name: string, address: string): boolean {
    const device = this.#inForce?.interfaces.find(({ config }) => config.name === name)
    const network = `${address}/${address.includes(':') ? 128 : 32}`
    return device?.peers.some(({ allowedIps }) => allowedIps.includes(network)) ?? false
  }

  /** Status of each interface of the state in force. */
  statuses(): InterfaceStatus[] {
    return (this.#inForce?.interfaces ?? []).map(({ config: { name } }) => {
      const { status, reason } = this.#tunnels.state(name)
      return { name, status, reason }
    })
  }

  /** Returns those of these interfaces that are still to be taken down. */
  stillRunning<T extends Pick<DesiredDevice, 'config'>>(leaving: readonly T[]): T[] {
    return leaving.filter(({ config }) => this.#tunnels.state(config.name).status === 'error')
  }

  /**
   * Brings a state into force. `leaving` are interfaces that may run and are not part of it. Throws a `DeviceError` when limits or
   * access rules cannot be written: peers that they are for are not let in then. An interface that cannot be brought up has the
   * status `error`, and is tried again with each check; a device that another program made is left alone.
   */
  apply(next: NodeState, leaving: readonly DesiredDevice[]): Promise<void> {
    return this.#inTurn(() => this.#apply(next, leaving))
  }

  /** The interfaces that run and on which new keys wait. */
  waiting(): WatchedDevice[] {
    return this.#inForce === undefined ? [] : devicesWithWaitingKeys(this.#inForce)
  }

  /** Gives new keys that were used the addresses of the old ones, which then go. */
  useKeys(name: string, keys: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const key of keys) this.#used.add(key)
      const [state, desired] = [this.#inForce, this.#desired]
      if (state === undefined) return
      // After a change that broke off the devices are to have less than the state in force says, and it stays so.
      const exchange = (isOldKept: boolean) => {
        const exchanged = <T extends DesiredDevice>(device: T): T => withUsedKeys(device, this.#used, isOldKept)
        this.#inForce = { ...state, interfaces: state.interfaces.map(exchanged) }
        this.#desired = desired.map(exchanged)
        return this.#tunnels.reconcile(name)
      }
      await exchange(true)
      await this.#dependencies.countTraffic([name])
      await exchange(false)
    })
  }

  /** Takes peers away that have expired, and brings those back that have not by a clock that was corrected. */
  async #expire(): Promise<void> {
    const { countTraffic, onApplying, onApplied } = this.#dependencies
    const [before, given] = [this.#inForce, this.#given]
    if (before === undefined || given === undefined) return
    const interfaces = this.#effective(given)
    const names = differingDevices(before.interfaces, interfaces)
    if (names.length === 0) return
    const next = { ...before, interfaces }
    const known = new Set(interfaces.map(({ config }) => config.name))
    await onApplying?.(devicesWithWaitingKeys(next))
    await countTraffic(names)
    await this.#step([...interfaces, ...this.#desired.filter(({ config }) => !known.has(config.name))], names)
    this.#inForce = next
    await countTraffic(names)
    onApplied?.()
  }

  /** The clock may be corrected at any time, so that the next look comes with the next check at the latest. */
  #followExpiries(): void {
    const { timers, checkEveryMs, log } = this.#dependencies
    const given = this.#given ?? []
    this.#cancelExpiry()
    if (!given.some(({ expiries = [] }) => expiries.length > 0)) return
    const now = timers.now()
    this.#cancelExpiry = timers.after(Math.min(nextExpiry(given, now) - now, checkEveryMs), () => {
      void this.#inTurn(() => this.#expire())
        .catch((error: unknown) => log.error({ err: error }, 'peers that have expired could not be taken away'))
        .finally(() => this.#followExpiries())
    })
  }

  /** Interfaces with the new keys that were used and without the peers that have expired. */
  #effective(given: NodeState['interfaces']): NodeState['interfaces'] {
    const now = this.#dependencies.timers.now()
    return given.map((device) => withoutExpired(withUsedKeys(device, this.#used), now))
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #apply(given: NodeState, leaving: readonly DesiredDevice[]): Promise<void> {
    this.#given = undefined
    const waiting = new Set(given.interfaces.flatMap(waitingKeys))
    this.#used = this.#used.intersection(waiting)
    const next = { ...given, interfaces: this.#effective(given.interfaces) }
    const ending = leaving.map(stopped)
    await this.#dependencies.onApplying?.(devicesWithWaitingKeys(next))
    this.#own.add([...next.interfaces, ...ending])
    if (this.#inForce === undefined) await this.#begin(next, ending)
    else await this.#change(this.#inForce, next, ending)
    this.#inForce = next
    this.#given = given.interfaces
    this.#followExpiries()
    // What is gone is no concern of this node any more: the service on the same host may run it now, with the same key.
    this.#desired = [...next.interfaces, ...this.stillRunning(this.#others(next, ending))]
    this.#dependencies.onApplied?.()
    if (this.#isWatching) return
    this.#isWatching = true
    this.#tunnels.watch(this.#dependencies.checkEveryMs)
  }

  /** Brings a state into force on a host of which it is not known what an earlier process left; the order is that of `#change`. */
  async #begin(next: NodeState, ending: readonly DesiredDevice[]): Promise<void> {
    const { limitTable, accessTable, countTraffic } = this.#dependencies
    const devices = [...ending, ...next.interfaces]
    const names = [...new Set(devices.map(({ config }) => config.name))]
    await countTraffic(names)
    for (const device of devices)
      await this.#narrow(device).catch((error: unknown) => this.#logFailure(device.config.name, error))
    await countTraffic(names)
    await limitTable.replace(next.limits)
    await accessTable.replace(policyOfNode(next.access))
    this.#desired = [...next.interfaces, ...this.#others(next, ending)]
    await this.#tunnels.reconcileAll()
  }

  /** Takes from a device what it is not to have any more, and a device away that is not to run. */
  async #narrow({ config, peers, running }: DesiredDevice): Promise<void> {
    const { driver } = this.#dependencies
    const { name, privateKey } = config
    const state = await driver.read(name)
    if (state === undefined || !this.#own.has(name, state)) return
    if (running) {
      const kept = sharedPeers([...state.peers.values()], peers)
      await changeInBatches(driver, name, diffPeers(desiredPeers(kept), state.peers))
    } else if (state.publicKey === publicKeyOf(privateKey)) await driver.remove(name)
  }

  /**
   * Goes from one state to another in an order in which no packet passes that both forbid, and none is lost that both allow.
   * First goes what only the old state has: peers, their addresses, whole interfaces, and what only one of both lets through by
   * isolation, forwarding and limits. The access rules, which change in one step, are then about nobody whom only one of both
   * knows, and nothing that another filter held back slips through between. Last comes what only the new state has.
   */
  async #change(before: NodeState, next: NodeState, ending: readonly DesiredDevice[]): Promise<void> {
    const { limitTable, accessTable, countTraffic } = this.#dependencies
    const narrowed = [...narrowDevices(before.interfaces, next.interfaces), ...this.#others(before, ending)]
    const closing = differingDevices(this.#desired, narrowed)
    // Counters go with their peers, and peers that come back later begin at zero.
    if (closing.length > 0) await countTraffic(closing)
    await this.#step(narrowed, closing)
    if (closing.length > 0) await countTraffic(closing)
    await limitTable.replace(stricterLimits(before.limits, next.limits))
    await accessTable.replace(policyOfNode(next.access))
    await limitTable.replace(next.limits)
    const wanted = [...next.interfaces, ...this.#others(next, ending)]
    await this.#step(wanted, differingDevices(narrowed, wanted))
  }

  /** Interfaces that are to go and of which a state says nothing. */
  #others({ interfaces }: NodeState, ending: readonly DesiredDevice[]): DesiredDevice[] {
    const known = new Set(interfaces.map(({ config }) => config.name))
    return ending.filter(({ config }) => !known.has(config.name))
  }

  /** Brings these interfaces to what is wanted of them; a failure is logged, stays that of its interface, and is tried again. */
  async #step(devices: readonly DesiredDevice[], names: readonly string[]): Promise<void> {
    this.#desired = devices
    for (const name of names)
      await this.#tunnels.reconcile(name).catch((error: unknown) => this.#logFailure(name, error))
  }

  #logFailure(name: string, error: unknown): void {
    const { message } = deviceErrorOf(name, error)
    this.#dependencies.log.error({ interface: name, reason: message }, 'interface failed')
  }

  /** Ends the checks. The tunnels keep running. */
  close(): Promise<void> {
    this.#given = undefined
    this.#cancelExpiry()
    return this.#tunnels.close()
  }
}
