import type { Log, Timers } from '@hearth/runtime'
import type { HandshakeGate, WatchedDevice } from '../handshakes/handshake-gate.ts'
import { lookPause, shortestLookPause } from '../key-rotation/look-pauses.ts'
import type { NodeTunnels } from './node-tunnels.ts'

export interface KeyWatchDependencies {
  readonly tunnels: Pick<NodeTunnels, 'waiting' | 'read' | 'useKeys'>
  readonly gate: HandshakeGate
  readonly timers: Pick<Timers, 'after' | 'monotonic'>
  readonly log: Pick<Log, 'error' | 'info'>
  /** Called when new keys replaced others, so that the service hears of it. */
  readonly onUsed: () => Promise<void>
}

/**
 * Looks for the first handshakes of new keys of peers, and gives these the addresses of the old ones: at once, and while the service
 * is away, too.
 */
export class KeyWatch {
  readonly #dependencies: KeyWatchDependencies
  #known = ''
  /** When the keys that wait became others. */
  #since = -Infinity
  #cancel: () => void = () => undefined
  #looking: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(dependencies: KeyWatchDependencies) {
    this.#dependencies = dependencies
  }

  /** Holds the handshakes of new keys before they are on their devices. */
  async prepare(waiting: readonly WatchedDevice[]): Promise<void> {
    // What waits no longer is let go when the state is in force.
    if (waiting.length > 0) await this.#hold(waiting)
  }

  /** Begins to look when new keys wait in the state in force. */
  stateChanged(): void {
    const { tunnels, timers } = this.#dependencies
    const waiting = tunnels
      .waiting()
      .flatMap(({ keys }) => keys)
      .join()
    const had = this.#known
    if (waiting !== had) this.#since = timers.monotonic()
    this.#known = waiting
    // With none the gate opens.
    if (waiting !== '' || had !== '') this.#next(shortestLookPause)
  }

  /** Lets a look that runs end. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#looking
    await this.#dependencies.gate.close()
  }

  #next(pause: number): void {
    if (this.#isClosed) return
    this.#cancel()
    this.#cancel = this.#dependencies.timers.after(pause, () => {
      this.#looking = this.#looking.then(() => this.#look())
    })
  }

  async #look(): Promise<void> {
    const { tunnels, timers, log } = this.#dependencies
    const began = timers.monotonic()
    const devices = tunnels.waiting()
    const isHeld = await this.#hold(devices)
    for (const { name, keys } of devices) {
      try {
        // The first bytes are those of a handshake that only the holder of the private key can begin.
        const state = await tunnels.read(name)
        const used = keys.filter((key) => (state?.peers.get(key)?.rxBytes ?? 0) > 0)
        if (used.length > 0) await this.#use(name, used)
      } catch (error) {
        log.error({ err: error, interface: name }, 'new keys of peers could not be looked after')
      }
    }
    if (devices.length > 0) this.#next(lookPause(timers.monotonic() - this.#since, timers.monotonic() - began, isHeld))
  }

  #hold(devices: readonly WatchedDevice[]): Promise<boolean> {
    return this.#dependencies.gate.watch(devices, (name, key) => this.#use(name, [key]))
  }

  async #use(name: string, keys: readonly string[]): Promise<void> {
    const { tunnels, log, onUsed } = this.#dependencies
    await tunnels.useKeys(name, keys)
    log.info({ interface: name }, `${keys.length} new keys of peers replaced the old ones`)
    await onUsed()
  }
}
