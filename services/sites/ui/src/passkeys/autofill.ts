import { ApiError } from '@hearth/ui'
import type { SitesSession } from '../session/sites-session.ts'
import { finishPasskeySignIn, startPasskeySignIn } from './passkey-sign-in.ts'
import { hasPasskeyAutofill } from './passkey-support.ts'

/** What the sign-in screen hears. */
export interface AutofillListener {
  onSignedIn(): void
  /** A passkey was chosen and did not work. */
  onProblem(error: unknown): void
  /** There are no passkeys at the address this page was opened with; the sentence says which to open. */
  onUnavailable(reason: string): void
}

/** Passkeys among what the browser fills in by itself. */
export interface Autofill {
  /** Makes room for a sign-in by the button. */
  pause(): void
  resume(): void
  /** The screen is gone. */
  close(): void
}

/** What the server sent is good for two minutes; it is asked again before, milliseconds. */
const renewAfter = 105_000

/** How often, before a page nobody touches is left alone. */
const mostRounds = 6

/** Offers passkeys in the autofill as long as somebody looks at the page, until `close`. */
export function keepAutofill(ways: Pick<SitesSession, 'post'>, listener: AutofillListener): Autofill {
  const kept = new KeptAutofill(ways, listener)
  const awake = () => kept.awake()
  const signs = ['visibilitychange', 'focusin'] as const
  for (const sign of signs) document.addEventListener(sign, awake)
  kept.begin()
  return {
    pause: () => kept.pause(),
    resume: () => kept.resume(),
    close: () => {
      kept.pause()
      for (const sign of signs) document.removeEventListener(sign, awake)
    },
  }
}

class KeptAutofill {
  readonly #ways: Pick<SitesSession, 'post'>
  readonly #listener: AutofillListener
  #present: AbortController | undefined
  #rounds = 0
  /** Nobody is there; the next sign of somebody begins anew. */
  #isResting = false

  constructor(ways: Pick<SitesSession, 'post'>, listener: AutofillListener) {
    this.#ways = ways
    this.#listener = listener
  }

  begin(): void {
    this.pause()
    this.#isResting = document.hidden || this.#rounds >= mostRounds
    if (this.#isResting) return
    this.#rounds += 1
    this.#present = new AbortController()
    void this.#offer(this.#present.signal)
  }

  pause(): void {
    this.#present?.abort()
  }

  resume(): void {
    this.#rounds = 0
    this.begin()
  }

  awake(): void {
    if (this.#isResting && !document.hidden) this.resume()
  }

  async #offer(signal: AbortSignal): Promise<void> {
    const options = await startPasskeySignIn(this.#ways).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'passkeys_unavailable')
        this.#listener.onUnavailable(error.message)
      // Whatever else it is, the form still works, and says so itself when it does not.
      return undefined
    })
    if (options === undefined || signal.aborted || !(await hasPasskeyAutofill())) return
    const timer = setTimeout(() => this.begin(), renewAfter)
    signal.addEventListener('abort', () => clearTimeout(timer))
    try {
      await finishPasskeySignIn(this.#ways, options, { mediation: 'conditional', signal })
      if (!signal.aborted) this.#listener.onSignedIn()
    } catch (error) {
      if (signal.aborted) return
      clearTimeout(timer)
      this.#isResting = true
      this.#listener.onProblem(error)
    }
  }
}
