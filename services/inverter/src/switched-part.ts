import { createKeyedQueue } from '@hearth/runtime'

interface SwitchedPartOptions<Running> {
  /** Begins by the settings; undefined while they switch it off. */
  readonly begin: () => Promise<Running | undefined>
  /** Ends what runs, because the settings have changed or the service is closed. */
  readonly end: (running: Running, why: 'change' | 'close') => Promise<void>
}

/** A part of the service that its settings switch on and off, one change after the other. Nothing runs before `start`. */
export class SwitchedPart<Running> {
  readonly #options: SwitchedPartOptions<Running>
  readonly #queue = createKeyedQueue(8)
  #running: Running | undefined
  #isStarted = false

  constructor(options: SwitchedPartOptions<Running>) {
    this.#options = options
  }

  /** What runs; undefined while it is off. */
  get running(): Running | undefined {
    return this.#running
  }

  start(): Promise<void> {
    this.#isStarted = true
    return this.#queue.run('part', () => this.#begin())
  }

  /** Carries out a change of the settings and begins anew with them; not when it rejects, or resolves with false. */
  change(work: () => Promise<boolean | void>): Promise<void> {
    return this.#queue.run('part', async () => {
      const isChanged = await work()
      if (isChanged === false || !this.#isStarted) return
      await this.#end('change')
      await this.#begin()
    })
  }

  async close(): Promise<void> {
    this.#isStarted = false
    await this.#queue.run('part', () => this.#end('close'))
  }

  async #begin(): Promise<void> {
    if (this.#isStarted) this.#running = await this.#options.begin()
  }

  async #end(why: 'change' | 'close'): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (running !== undefined) await this.#options.end(running, why)
  }
}
