import type { ServerResponse } from 'node:http'
import type { Timers } from '@hearth/runtime'

/** Interval at which tokens with open answers are checked, milliseconds. */
const checkEvery = 5000

/** Dependencies of `OpenAnswers`. */
interface OpenAnswersDependencies {
  readonly timers: Timers
  /** Resolves to true if a token is still valid. */
  readonly isUsable: (id: string) => Promise<boolean>
}

/**
 * Answers on their way to programs with a token: a long download ends when its token is revoked or expires, also by another
 * process. Event streams are left to their own check, which says farewell.
 */
export class OpenAnswers {
  readonly #dependencies: OpenAnswersDependencies
  readonly #open = new Map<ServerResponse, string>()
  #cancelCheck: (() => void) | undefined

  constructor(dependencies: OpenAnswersDependencies) {
    this.#dependencies = dependencies
  }

  /** Follows an answer until it is sent. */
  follow(response: ServerResponse, tokenId: string): void {
    this.#open.set(response, tokenId)
    response.once('close', () => {
      this.#open.delete(response)
      if (this.#open.size === 0) this.close()
    })
    this.#cancelCheck ??= this.#planCheck()
  }

  /** Ends what is still being sent with this token. */
  end(tokenId: string): void {
    for (const [response, id] of this.#open)
      if (id === tokenId && response.headersSent && !isEventStream(response)) response.destroy()
  }

  /** Ends the checks. */
  close(): void {
    this.#cancelCheck?.()
    this.#cancelCheck = undefined
  }

  #planCheck(): () => void {
    return this.#dependencies.timers.after(checkEvery, () => {
      this.#cancelCheck = this.#open.size === 0 ? undefined : this.#planCheck()
      for (const id of new Set(this.#open.values())) void this.#check(id)
    })
  }

  async #check(id: string): Promise<void> {
    // A database that does not answer ends no download.
    const isGood = await this.#dependencies.isUsable(id).catch(() => true)
    if (!isGood) this.end(id)
  }
}

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')
