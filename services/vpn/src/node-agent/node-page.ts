import type { Log, Timers } from '@hearth/runtime'
import type { NodeState } from '../nodes/node-state.ts'
import type { PageListeners, PagePlace } from '../tunnel-page/page-listeners.ts'

export interface NodePageDependencies {
  readonly timers: Pick<Timers, 'after'>
  readonly log: Pick<Log, 'error'>
  /** True when an interface runs with its firewall in force. */
  readonly isUp: (name: string) => boolean
  /** Called when the page began to listen somewhere, or what keeps it from that changed. */
  readonly onChanged: () => void
  /** Loads what listens and answers, with the first place. */
  readonly load: () => Promise<Pick<PageListeners, 'bring' | 'errorAt'>>
}

/** Time until what failed is tried again, milliseconds. */
const againMs = 5000

/** The page for the peers of this node: it listens here, and the service answers. */
export class NodePage {
  readonly #dependencies: NodePageDependencies
  #listeners: Pick<PageListeners, 'bring' | 'errorAt'> | undefined
  #wanted: readonly PagePlace[] = []
  #errors = '[]'
  /** Why nothing answers; undefined when it was loaded, or is not needed. */
  #failure: string | undefined
  #cancel: () => void = () => undefined
  #bringing: Promise<void> = Promise.resolve()

  constructor(dependencies: NodePageDependencies) {
    this.#dependencies = dependencies
  }

  /** Stops listening where the next state has no page: the rule that guards it goes with that state. */
  narrow(next: NodeState): Promise<void> {
    const kept = new Set(placesOf(next).map(keyOf))
    return this.#bring(this.#wanted.filter((place) => kept.has(keyOf(place))))
  }

  /** Listens where the state in force has a page, behind rules that let nothing reach it but what came through its interface. */
  bring(state: NodeState): Promise<void> {
    return this.#bring(placesOf(state))
  }

  /** What keeps the page of an interface from listening; null when it listens, undefined without one. */
  errorOf(name: string): string | null | undefined {
    const places = this.#wanted.filter((place) => place.interface === name)
    const errors = places.map((place) => this.#errorAt(place))
    if (errors.includes(undefined)) return 'the interface does not run'
    return errors.find((error) => error !== null) ?? (places.length === 0 ? undefined : null)
  }

  /** Stops listening. */
  close(): Promise<void> {
    return this.#bring([]).catch((error: unknown) => this.#logOnce(error))
  }

  #bring(places: readonly PagePlace[]): Promise<void> {
    this.#wanted = places
    return this.#run()
  }

  #run(): Promise<void> {
    const turn = this.#bringing.then(() => this.#listen())
    // A turn that failed does not keep the next one from its work.
    this.#bringing = turn.catch(() => undefined)
    return turn
  }

  async #listen(): Promise<void> {
    const { isUp, onChanged } = this.#dependencies
    this.#cancel()
    if (this.#listeners === undefined && this.#wanted.length === 0) return
    await this.#load()
    await this.#listeners?.bring(this.#wanted.filter((place) => isUp(place.interface)))
    const errors = this.#wanted.map((place) => this.#errorAt(place))
    if (errors.some((error) => error !== null)) this.#again()
    const text = JSON.stringify([this.#wanted, errors])
    if (text !== this.#errors) onChanged()
    this.#errors = text
  }

  /** Loads what answers. Without it nothing listens, and the tunnels of a state are brought into force all the same. */
  async #load(): Promise<void> {
    try {
      this.#listeners ??= await this.#dependencies.load()
      this.#failure = undefined
    } catch (error) {
      this.#logOnce(error)
    }
  }

  #logOnce(error: unknown): void {
    const failure = `the page could not be started: ${(error as Error).message}`
    if (failure !== this.#failure) this.#dependencies.log.error(failure)
    this.#failure = failure
  }

  #again(): void {
    this.#cancel = this.#dependencies.timers.after(againMs, () => {
      this.#run().catch((error: unknown) => {
        this.#logOnce(error)
        this.#again()
      })
    })
  }

  #errorAt(place: PagePlace): string | null | undefined {
    return this.#failure ?? this.#listeners?.errorAt(place)
  }
}

/** Where a state has pages. */
const placesOf = ({ interfaces }: NodeState): PagePlace[] =>
  interfaces.flatMap(({ running, rules: { name, page } }) =>
    running && page !== undefined
      ? page.addresses.map((address) => ({ interface: name, address, port: page.port }))
      : [],
  )

const keyOf = ({ interface: name, address, port }: PagePlace) => `${name} ${address} ${port}`
