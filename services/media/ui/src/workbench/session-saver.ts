import type { Workbench, WorkbenchChange } from '../api.ts'
import type { Content } from './session.ts'

/** State of saving. */
export type SaveState =
  | { readonly kind: 'saved' | 'waiting' | 'saving' }
  /** Somebody else changed the session since it was read. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Means to save a session. */
export interface SaverOptions {
  readonly save: (change: WorkbenchChange) => Promise<Pick<Workbench, 'revision'>>
  /** State after a failure: a conflict, or the reason. */
  readonly explain: (error: unknown) => SaveState
}

/** Time without a change after which it is saved, milliseconds. */
const pause = 700

/** Saves a session by itself, one change after the other, each under the revision before. */
export class SessionSaver {
  readonly #options: SaverOptions
  readonly #listeners = new Set<() => void>()
  #revision: number
  #pending: Content | undefined
  /** What goes over the network last. */
  #sent: Content | undefined
  #running: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #state: SaveState = { kind: 'saved' }

  constructor(revision: number, options: SaverOptions) {
    this.#revision = revision
    this.#options = options
  }

  readonly state = (): SaveState => this.#state

  /** What is not saved yet. */
  unsaved(): Content | undefined {
    return this.#pending
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Notes a change; it is saved in a moment, together with what follows at once. */
  note(content: Content): void {
    this.#pending = content
    if (this.#state.kind === 'conflict') return
    if (this.#running === undefined) this.#set({ kind: 'waiting' })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), pause)
  }

  /** Saves at once what is not saved yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    // Of several that waited for the same save, one goes on and the others wait for that one.
    while (this.#running !== undefined) await this.#running
    if (this.#pending === undefined || this.#state.kind === 'conflict') return
    await this.#begin(this.#pending, this.#revision)
  }

  /**
   * Sends at once what is not saved yet, because nobody will be here to wait: beside a save that goes on, under the revision that
   * this one makes.
   */
  leave(): void {
    clearTimeout(this.#timer)
    const content = this.#pending
    if (content === undefined || content === this.#sent || this.#state.kind === 'conflict') return
    const revision = this.#running === undefined ? this.#revision : this.#revision + 1
    void this.#begin(content, revision)
  }

  /** Replaces what somebody else saved under a revision by what is here. */
  async overwrite(revision: number, content: Content): Promise<void> {
    this.#revision = revision
    this.#pending = content
    this.#set({ kind: 'waiting' })
    await this.flush()
  }

  #begin(content: Content, revision: number): Promise<void> {
    const before = this.#running
    this.#sent = content
    const saved = this.#options.save({ revision, ...content })
    // Nobody waits for it while the one before goes on.
    saved.catch(() => undefined)
    const running = this.#finish(content, saved, before).finally(() => {
      if (this.#running !== running) return
      this.#running = undefined
      this.#sent = undefined
    })
    this.#running = running
    return running
  }

  async #finish(content: Content, saved: ReturnType<SaverOptions['save']>, before?: Promise<void>): Promise<void> {
    await before
    this.#set({ kind: 'saving' })
    try {
      const { revision } = await saved
      this.#revision = revision
      if (this.#pending === content) this.#pending = undefined
      this.#set({ kind: this.#pending === undefined ? 'saved' : 'waiting' })
    } catch (error) {
      this.#set(this.#options.explain(error))
    }
  }

  #set(state: SaveState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}
