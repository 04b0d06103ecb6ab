import type { Log } from '@hearth/runtime'
import { ResolverSupervisor } from './supervisor.ts'

/** Most warnings that are kept for a log that comes later. */
const mostKept = 100

/** The supervised resolver, which may run before the service has a log and somebody who listens. */
export class RunningResolver extends ResolverSupervisor {
  readonly #ears: Ears

  /** Starts it by the files in `DATA_DIR/dns`; without them it listens nowhere until it is told of some. */
  constructor(directory: string) {
    const ears = new Ears()
    super({ directory, warn: (message) => ears.warn(message), answered: (count) => ears.answered(count) })
    this.#ears = ears
  }

  /** Sets the log for its warnings, earlier ones included, and the listener for the number of answered queries. */
  attach(log: Pick<Log, 'warn'>, answered: (count: number) => void): void {
    this.#ears.answered = answered
    this.#ears.attach(log)
  }
}

class Ears {
  answered: (count: number) => void = () => undefined
  readonly #kept: string[] = []
  #log: Pick<Log, 'warn'> | undefined

  warn(message: string): void {
    if (this.#log !== undefined) this.#log.warn(message)
    else if (this.#kept.length < mostKept) this.#kept.push(message)
  }

  attach(log: Pick<Log, 'warn'>): void {
    this.#log = log
    for (const message of this.#kept.splice(0)) log.warn(message)
  }
}
