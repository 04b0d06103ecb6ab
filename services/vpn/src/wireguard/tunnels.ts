import { setTimeout as pause } from 'node:timers/promises'
import { takeDevice } from './bring.ts'
import type { DeviceState, PeerChange, PeerState, RouteChange, WireGuardDriver } from './device.ts'
import type { DesiredDevice } from './drift.ts'
import type { InterfaceRules } from './firewall.ts'
import { applyBatch } from './peer-batch.ts'
import { TunnelController, type TunnelDependencies, type TunnelState } from './tunnel-controller.ts'

/** The data plane as the rest of the service uses it. Changes of one interface wait for each other. */
export class Tunnels {
  readonly #controller: TunnelController
  readonly #changes: TunnelChanges
  readonly #end = new AbortController()
  #watching: Promise<void> = Promise.resolve()

  /** No tunnel runs before the first call. */
  constructor(dependencies: TunnelDependencies) {
    this.#controller = new TunnelController(dependencies)
    this.#changes = new TunnelChanges(this.#controller)
  }

  /**
   * Runs `work` while nothing else changes or checks the interface: the place for a change of the database together with the
   * device. `work` must not take the lock again; it would wait for ever.
   */
  withLock<T>(name: string, work: (changes: TunnelChanges) => Promise<T>): Promise<T> {
    return this.#controller.withLock(name, () => work(this.#changes))
  }

  /** Compares one interface with the desired state and repairs it; one that is elsewhere is notified. */
  async reconcile(name: string): Promise<void> {
    this.#controller.elsewhere.changed(name)
    await this.#controller.withLock(name, () => this.#controller.reconcile(name))
  }

  /** The same for all of them, at the start; an interface that cannot be brought up has the state `error` afterwards. */
  reconcileAll(): Promise<void> {
    return this.#controller.reconcileAll()
  }

  /** Compares and repairs until `close`, with this pause in milliseconds between two rounds, and reports what it found. */
  watch(interval: number): void {
    const { signal } = this.#end
    const wait = () => pause(interval, undefined, { signal, ref: false }).catch(() => undefined)
    this.#watching = (async () => {
      for (await wait(); !signal.aborted; await wait()) {
        await this.#controller
          .checkAll()
          .catch((error: unknown) => this.#controller.log.error({ err: error }, 'the check of the tunnels failed'))
      }
    })()
  }

  /** The device as it runs on this host, or undefined. For the sampler; readings at the same time share one. */
  async read(name: string): Promise<DeviceState | undefined> {
    return this.#controller.elsewhere.has(name) ? undefined : this.#controller.read(name)
  }

  /** One peer as it runs, or undefined: for its last counters before it leaves its device. */
  async readPeer(name: string, publicKey: string): Promise<PeerState | undefined> {
    return this.#controller.elsewhere.has(name) ? undefined : this.#controller.driver.readPeer(name, publicKey)
  }

  state(name: string): TunnelState {
    const { elsewhere, states } = this.#controller
    return elsewhere.has(name) ? elsewhere.state(name) : (states.get(name) ?? { status: 'down', reason: null })
  }

  /** Ends the checks and lets running changes finish. The tunnels keep running. */
  async close(): Promise<void> {
    const { readBack, queue, driver } = this.#controller
    this.#end.abort()
    await this.#watching
    await readBack.idle()
    await queue.idle()
    await driver.close()
  }
}

/**
 * Changes of one interface, for the holder of its lock. Each either did all it says or throws a `DeviceError` after putting back
 * what it could. The host of an interface that is elsewhere, too or alone, is notified, and follows by itself.
 */
export class TunnelChanges {
  readonly #controller: TunnelController

  constructor(controller: TunnelController) {
    this.#controller = controller
  }

  /**
   * Changes some peers of a running interface and nothing else. With `newRules` the isolation of the interface changes along with
   * the peers, without a gap; with `routes` the networks that are reached through it.
   */
  async apply(
    name: string,
    changes: readonly PeerChange[],
    { newRules, routes }: { newRules?: InterfaceRules | undefined; routes?: RouteChange | undefined } = {},
  ): Promise<void> {
    const { rules, readBack, driver, elsewhere } = this.#controller
    if (elsewhere.has(name)) return elsewhere.changed(name)
    // What this host does not change, as the limit of a peer, another one that runs the interface may have to.
    if (changes.length === 0 && newRules === undefined) return elsewhere.changed(name)
    const device = this.#controller.device(name)
    const batch = () => applyBatch(this.#controller, device, changes)
    const open = await rules.during(name, newRules ?? null, () =>
      routes === undefined ? batch() : withRoutes(driver, { name, routes }, batch),
    )
    if (open.length > 0) readBack.request(name, open)
    // Another host may run the interface, too.
    elsewhere.changed(name)
  }

  /** The firewall rules of an interface that are in force; null while it has none. */
  rules(name: string): InterfaceRules | null {
    return this.#controller.rules.of(name)
  }

  /** Brings an interface of this host to the desired state, from nothing or from whatever runs, with the smallest difference. */
  async bring(device: Omit<DesiredDevice, 'running'>): Promise<void> {
    await this.#controller.settle({ ...device, running: true })
  }

  /** Takes an interface down and away from this host; a device of its name with another public key is left alone. */
  async take(name: string, publicKey: string): Promise<void> {
    await takeDevice(this.#controller, this.#controller.device(name), publicKey)
    this.#controller.states.set(name, { status: 'down', reason: null })
  }
}

/** Changes routes and then peers; when those cannot be changed, the routes are put back. */
async function withRoutes<T>(
  driver: Pick<WireGuardDriver, 'changeRoutes'>,
  { name, routes }: { name: string; routes: RouteChange },
  work: () => Promise<T>,
): Promise<T> {
  await driver.changeRoutes(name, routes)
  try {
    return await work()
  } catch (error) {
    // The check of the tunnels repairs what this cannot.
    await driver.changeRoutes(name, { add: routes.remove, remove: routes.add }).catch(() => undefined)
    throw error
  }
}
