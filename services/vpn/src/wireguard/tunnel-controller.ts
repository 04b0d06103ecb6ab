import { createKeyedQueue, QueueFull, type Log } from '@hearth/runtime'
import { bringDevice, inspectDevice } from './bring.ts'
import { DeviceError, type DeviceState, type WireGuardDriver } from './device.ts'
import { type Elsewhere, nothingElsewhere } from './elsewhere.ts'
import { type DesiredDevice, type Drift, driftOf, isClean } from './drift.ts'
import { type Firewall, GuardedRules } from './firewall.ts'
import type { LimitTable } from './limit-table.ts'
import { deviceErrorOf, type FollowedDevice, mismatches, readTimed } from './peer-batch.ts'
import { createReadBack } from './read-back.ts'

/** State of an interface after the last operation or check. */
export interface TunnelState {
  readonly status: 'up' | 'down' | 'error'
  /** Reason for the status `error`; null otherwise. */
  readonly reason: string | null
}

/** Dependencies of the controller. */
export interface TunnelDependencies {
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  /** Bandwidth limits, which are checked along with the firewall. */
  readonly limitTable?: Pick<LimitTable, 'hasDrifted' | 'repair'>
  /** Access rules, which are too. */
  readonly accessTable?: Pick<LimitTable, 'hasDrifted' | 'repair'>
  /** Interfaces of other hosts; without it all are here. */
  readonly elsewhere?: Elsewhere
  /** All interfaces of this host as the database wants them, stopped ones too, or the one of that name. */
  readonly desired: (name?: string) => Promise<readonly DesiredDevice[]>
  readonly log: Log
  readonly onDrift?: (drift: Drift) => void
}

/** Changes that may wait for one interface. */
const queueBound = 1000

/** Brings devices to what the database wants, compares them with it, and repairs what differs. */
export class TunnelController {
  readonly driver: WireGuardDriver
  readonly log: Log
  readonly elsewhere: Elsewhere
  readonly rules: GuardedRules
  readonly queue = createKeyedQueue(queueBound)
  readonly states = new Map<string, TunnelState>()
  readonly readBack = createReadBack({
    read: (name) => this.#readChecked(name),
    check: (name, keys, state) => this.#checkReading(name, keys, state),
  })
  readonly #dependencies: TunnelDependencies
  readonly #devices = new Map<string, FollowedDevice>()
  readonly #readings = new Map<string, Promise<DeviceState | undefined>>()
  /** Reported drifts that could not be repaired, by interface. */
  readonly #standing = new Map<string | null, string>()

  constructor(dependencies: TunnelDependencies) {
    this.#dependencies = dependencies
    this.driver = dependencies.driver
    this.log = dependencies.log
    this.elsewhere = dependencies.elsewhere ?? nothingElsewhere
    this.rules = new GuardedRules(dependencies.firewall)
  }

  /** The record of a device, created on first use. */
  device(name: string): FollowedDevice {
    const device = this.#devices.get(name) ?? { name, known: undefined, readingTime: 0 }
    this.#devices.set(name, device)
    return device
  }

  /** Runs work when all earlier work on the interface has ended. Throws a `DeviceError` when too much waits already. */
  async withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.queue.run(name, work)
    } catch (error) {
      if (error instanceof QueueFull) throw new DeviceError(error.message, { cause: error })
      throw error
    }
  }

  /** Brings or takes one interface and records its state; returns what was wrong. */
  async settle(desired: DesiredDevice): Promise<Drift> {
    const { name } = desired.config
    try {
      const drift = await bringDevice(this, this.device(name), desired)
      this.states.set(name, { status: desired.running ? 'up' : 'down', reason: null })
      return drift
    } catch (error) {
      const failure = deviceErrorOf(name, error)
      this.states.set(name, { status: 'error', reason: failure.message })
      throw failure
    }
  }

  /** Brings one interface to what the database wants; undefined when it does not know it. To be called under the interface's lock. */
  async reconcile(name: string): Promise<Drift | undefined> {
    const desired = (await this.#dependencies.desired(name)).find(({ config }) => config.name === name)
    return desired === undefined ? undefined : this.settle(desired)
  }

  /** Brings all interfaces to what the database wants, one after the other; a failure of one is logged and stays its own. */
  async reconcileAll(): Promise<void> {
    const all = await this.#dependencies.desired()
    const logFailure = (name: string) => (error: unknown) => {
      this.log.error({ interface: name, reason: deviceErrorOf(name, error).message }, 'interface failed')
    }
    const running = all.filter((device) => device.running)
    await this.rules.startWith(running.map((device) => device.rules)).catch(logFailure('firewall'))
    for (const { config } of all) {
      await this.withLock(config.name, () => this.reconcile(config.name)).catch(logFailure(config.name))
    }
  }

  /** Checks all interfaces without their locks; what differs is checked again and repaired under its lock. */
  async checkAll(): Promise<void> {
    for (const desired of await this.#dependencies.desired()) {
      const { name } = desired.config
      const inspection = await inspectDevice(this, this.device(name), desired).catch(() => undefined)
      const standing = this.states.get(name)?.status
      if (inspection !== undefined && isClean(inspection.drift) && standing !== 'error') continue
      await this.withLock(name, () => this.#repair(name))
    }
    const { firewall, limitTable, accessTable } = this.#dependencies
    await this.#checkTable(firewall, 'firewall changed')
    if (limitTable !== undefined) await this.#checkTable(limitTable, 'bandwidth limits changed')
    if (accessTable !== undefined) await this.#checkTable(accessTable, 'access rules changed')
  }

  /** Reads a device; concurrent callers share one reading. */
  read(name: string): Promise<DeviceState | undefined> {
    const running = this.#readings.get(name)
    if (running !== undefined) return running
    const reading = this.#readChecked(name).finally(() => this.#readings.delete(name))
    this.#readings.set(name, reading)
    return reading
  }

  /** Repairs one interface and reports what was wrong. To be called under the interface's lock. */
  async #repair(name: string): Promise<void> {
    try {
      const drift = await this.reconcile(name)
      if (drift !== undefined && !isClean(drift)) this.#report(drift)
    } catch (error) {
      this.#report(driftOf(name, ['not as wanted'], deviceErrorOf(name, error).message))
    }
  }

  async #checkTable(table: Pick<Firewall, 'hasDrifted' | 'repair'>, change: string): Promise<void> {
    try {
      if (!(await table.hasDrifted())) return
      await table.repair()
      this.#report(driftOf(null, [change]))
    } catch (error) {
      this.#report(driftOf(null, [change], deviceErrorOf('firewall', error).message))
    }
  }

  /** Every reading checks the changes that were made before it began. */
  async #readChecked(name: string): Promise<DeviceState | undefined> {
    const end = this.readBack.begin(name)
    const state = await readTimed(this.driver, this.device(name))
    end(state)
    return state
  }

  /** Compares changed peers with a reading, and has the interface repaired when they differ. */
  #checkReading(name: string, keys: ReadonlySet<string>, state: DeviceState | undefined): void {
    const { known } = this.device(name)
    if (known === undefined || (state !== undefined && mismatches(known.peers, keys, state.peers).length === 0)) return
    this.withLock(name, () => this.#repair(name)).catch((error: unknown) => {
      this.log.error({ err: error, interface: name }, 'a change could not be verified')
    })
  }

  /** Passes drifts on: one that was repaired each time it happens, one that stays only once. */
  #report(drift: Drift): void {
    const text = JSON.stringify(drift)
    if (drift.failure === null) this.#standing.delete(drift.interface)
    else if (this.#standing.get(drift.interface) === text) return
    else this.#standing.set(drift.interface, text)
    this.#dependencies.onDrift?.(drift)
  }
}
