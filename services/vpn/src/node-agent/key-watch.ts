import type { Log, Timers } from '@hearth/runtime'
import { lookPause, shortestLookPause } from '../key-rotation/look-pauses.ts'
import type { NodeTunnels } from './node-tunnels.ts'

export interface KeyWatchDependencies {
  readonly tunnels: Pick<NodeTunnels, 'waitingKeys' | 'read' | 'useKeys'>
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

  /** Begins to look when new keys wait in the state in force. */
  stateChanged(): void {
    const { tunnels, timers } = this.#dependencies
    const waiting = [...tunnels.waitingKeys().values()].flat().join()
    if (waiting !== this.#known) this.#since = timers.monotonic()
    this.#known = waiting
    if (waiting !== '') this.#next(shortestLookPause)
  }

  /** Lets a look that runs end. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#looking
  }

  #next(pause: number): void {
    if (this.#isClosed) return
    this.#cancel()
    this.#cancel = this.#dependencies.timers.after(pause, () => {
      this.#looking = this.#looking.then(() => this.#look())
    })
  }

  async #look(): Promise<void> {
    const { tunnels, timers, log, onUsed } = this.#dependencies
    const began = timers.monotonic()
    for (const [name, keys] of tunnels.waitingKeys()) {
      try {
        // The first bytes are those of a handshake that only the holder of the private key can begin.
        const state = await tunnels.read(name)
        const used = keys.filter((key) => (state?.peers.get(key)?.rxBytes ?? 0) > 0)
        if (used.length === 0) continue
        await tunnels.useKeys(name, used)
        log.info({ interface: name }, `${used.length} new keys of peers replaced the old ones`)
        await onUsed()
      } catch (error) {
        log.error({ err: error, interface: name }, 'new keys of peers could not be looked after')
      }
    }
    if (tunnels.waitingKeys().size > 0)
      this.#next(lookPause(timers.monotonic() - this.#since, timers.monotonic() - began))
  }
}
