import { setTimeout as pause } from 'node:timers/promises'
import { createKeyedQueue } from '@hearth/runtime'
import { takeDevice } from './bring.ts'
import type { DeviceState, PeerChange, PeerState } from './device.ts'
import type { DesiredDevice, Drift } from './drift.ts'
import { GuardedRules, type InterfaceRules } from './firewall.ts'
import { applyBatch } from './peer-batch.ts'
import { createReadBack } from './read-back.ts'
import {
  checkAll,
  checkReading,
  followed,
  readChecked,
  reconcileAll,
  reconcileNow,
  settle,
  shareReading,
  type TunnelContext,
  type TunnelDependencies,
  type TunnelState,
  withLock,
} from './tunnel-repair.ts'

/** Changes that may wait for one interface. */
const queueBound = 1000

/** The data plane as the rest of the service uses it. Changes of one interface wait for each other. */
export class Tunnels {
  readonly #context: TunnelContext
  readonly #changes: TunnelChanges
  readonly #end = new AbortController()
  #watching: Promise<void> = Promise.resolve()

  /** Nothing runs until it is requested. */
  constructor(dependencies: TunnelDependencies) {
    this.#context = createContext(dependencies)
    this.#changes = new TunnelChanges(this.#context)
  }

  /**
   * Runs `work` while nothing else changes or checks the interface: the place for a change of the database together with the
   * device. `work` must not take the lock again; it would wait for ever.
   */
  withLock<T>(name: string, work: (changes: TunnelChanges) => Promise<T>): Promise<T> {
    return withLock(this.#context, name, () => work(this.#changes))
  }

  /** Compares one interface with the desired state and repairs it. */
  async reconcile(name: string): Promise<void> {
    await withLock(this.#context, name, () => reconcileNow(this.#context, name))
  }

  /** The same for all of them, at the start; an interface that cannot be brought up has the state `error` afterwards. */
  reconcileAll(): Promise<void> {
    return reconcileAll(this.#context)
  }

  /** Compares and repairs until `close`, with this pause in milliseconds between two rounds, and reports what it found. */
  watch(interval: number): void {
    const { signal } = this.#end
    const wait = () => pause(interval, undefined, { signal, ref: false }).catch(() => undefined)
    this.#watching = (async () => {
      for (await wait(); !signal.aborted; await wait()) {
        await checkAll(this.#context).catch((error: unknown) =>
          this.#context.log.error({ err: error }, 'the check of the tunnels failed'),
        )
      }
    })()
  }

  /** The device as it runs, or undefined. For the sampler; readings at the same time share one. */
  read(name: string): Promise<DeviceState | undefined> {
    return shareReading(this.#context, name)
  }

  /** One peer as it runs, or undefined: for its last counters before it leaves its device. */
  readPeer(name: string, publicKey: string): Promise<PeerState | undefined> {
    return this.#context.driver.readPeer(name, publicKey)
  }

  state(name: string): TunnelState {
    return this.#context.states.get(name) ?? { status: 'down', reason: null }
  }

  /** Ends the checks and lets running changes finish. The tunnels keep running. */
  async close(): Promise<void> {
    const { readBack, queue, driver } = this.#context
    this.#end.abort()
    await this.#watching
    await readBack.idle()
    await queue.idle()
    await driver.close()
  }
}

/**
 * Changes of one interface, for the holder of its lock. Each either did all it says or throws a `DeviceError` after putting back
 * what it could.
 */
export class TunnelChanges {
  readonly #context: TunnelContext

  constructor(context: TunnelContext) {
    this.#context = context
  }

  /**
   * Changes some peers of a running interface and nothing else. With `newRules` the isolation of the interface changes along with
   * the peers, without a gap.
   */
  async apply(name: string, changes: readonly PeerChange[], newRules?: InterfaceRules): Promise<void> {
    if (changes.length === 0 && newRules === undefined) return
    const { rules, readBack } = this.#context
    const device = followed(this.#context, name)
    const open = await rules.during(name, newRules ?? null, () => applyBatch(this.#context, device, changes))
    if (open.length > 0) readBack.request(name, open)
  }

  /** The firewall rules of an interface that are in force; null while it has none. */
  rules(name: string): InterfaceRules | null {
    return this.#context.rules.of(name)
  }

  /** Brings an interface to the desired state, from nothing or from whatever runs, with the smallest difference. */
  async bring(device: Omit<DesiredDevice, 'running'>): Promise<void> {
    await settle(this.#context, { ...device, running: true })
  }

  /** Takes an interface down and away. */
  async take(name: string): Promise<void> {
    await takeDevice(this.#context, followed(this.#context, name))
    this.#context.states.set(name, { status: 'down', reason: null })
  }
}

function createContext(dependencies: TunnelDependencies): TunnelContext {
  const { driver, log } = dependencies
  const context: TunnelContext = {
    dependencies,
    driver,
    log,
    queue: createKeyedQueue(queueBound),
    rules: new GuardedRules(dependencies.firewall),
    devices: new Map(),
    states: new Map(),
    readings: new Map(),
    readBack: createReadBack({
      read: (name) => readChecked(context, name),
      check: (name, keys, state) => checkReading(context, { name, keys, state }),
    }),
    report: reportOnce((drift) => dependencies.onDrift?.(drift)),
  }
  return context
}

/** Passes drifts on: one that was repaired each time it happens, one that stays only once. */
function reportOnce(report: (drift: Drift) => void): (drift: Drift) => void {
  const standing = new Map<string | null, string>()
  return (drift) => {
    const text = JSON.stringify(drift)
    if (drift.failure === null) standing.delete(drift.interface)
    else if (standing.get(drift.interface) === text) return
    else standing.set(drift.interface, text)
    report(drift)
  }
}
