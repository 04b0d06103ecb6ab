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
}

/** What the server sent is good for two minutes; it is asked again before, milliseconds. */
const renewAfter = 105_000

/** How often, before a page nobody touches is left alone. */
const mostRounds = 6

/** Offers passkeys in the autofill as long as the page is there. Ends with `pause`. */
export function keepAutofill(ways: Pick<SitesSession, 'post'>, listener: AutofillListener): Autofill {
  let present: AbortController | undefined
  let rounds = 0

  async function offer(signal: AbortSignal): Promise<void> {
    const options = await startPasskeySignIn(ways).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'passkeys_unavailable') listener.onUnavailable(error.message)
      // Whatever else it is, the form still works, and says so itself when it does not.
      return undefined
    })
    if (options === undefined || signal.aborted || !(await hasPasskeyAutofill())) return
    const timer = setTimeout(() => begin(), renewAfter)
    signal.addEventListener('abort', () => clearTimeout(timer))
    try {
      await finishPasskeySignIn(ways, options, { mediation: 'conditional', signal })
      if (!signal.aborted) listener.onSignedIn()
    } catch (error) {
      if (signal.aborted) return
      clearTimeout(timer)
      listener.onProblem(error)
    }
  }

  function begin(): void {
    present?.abort()
    if (rounds >= mostRounds) return
    rounds += 1
    present = new AbortController()
    void offer(present.signal)
  }

  begin()
  return {
    pause: () => present?.abort(),
    resume: () => {
      rounds = 0
      begin()
    },
  }
}
