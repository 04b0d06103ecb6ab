import { ApiError, reasonOf } from '../api-error.ts'
import { finishPasskeySignIn, passkeyObstacle, type PasskeySignInApi } from './passkey-ceremony.ts'

/** Callbacks of a sign-in screen. */
export interface AutofillListener {
  onSignedIn(): void
  /** A passkey was chosen and did not work. */
  onProblem(error: unknown): void
  /** There are no passkeys at the address this page was opened with; the sentence says which to open. */
  onUnavailable(reason: string): void
}

/** Interval after which a challenge is renewed, milliseconds; the server accepts it for two minutes. */
const renewAfter = 105_000

/** Number of challenges for a page that nobody touches. */
const maxRounds = 6

const signs = ['visibilitychange', 'focusin'] as const

/** Offers passkeys among what the browser fills in, as long as somebody looks at the page, until `close`. */
export class PasskeyAutofill {
  readonly #api: PasskeySignInApi
  readonly #listener: AutofillListener
  #current: AbortController | undefined
  #rounds = 0
  /** Nobody is there; the next sign of somebody begins anew. */
  #isResting = false

  constructor(api: PasskeySignInApi, listener: AutofillListener) {
    this.#api = api
    this.#listener = listener
    for (const sign of signs) document.addEventListener(sign, this.#wake)
    this.#begin()
  }

  /** Makes room for a sign-in by the button. */
  pause(): void {
    this.#current?.abort()
  }

  resume(): void {
    this.#rounds = 0
    this.#begin()
  }

  close(): void {
    this.pause()
    for (const sign of signs) document.removeEventListener(sign, this.#wake)
  }

  readonly #wake = (): void => {
    if (this.#isResting && !document.hidden) this.resume()
  }

  #begin(): void {
    this.pause()
    this.#isResting = document.hidden || this.#rounds >= maxRounds
    if (this.#isResting) return
    this.#rounds += 1
    this.#current = new AbortController()
    void this.#offer(this.#current.signal)
  }

  async #offer(signal: AbortSignal): Promise<void> {
    const options = await this.#api.start().catch((error: unknown) => {
      if (error instanceof ApiError && reasonOf(error) === 'passkeys_unavailable')
        this.#listener.onUnavailable(error.message)
      // Whatever else it is, the form still works, and says so itself when it does not.
      return undefined
    })
    if (options === undefined || signal.aborted || !(await isSupported())) return
    const timer = setTimeout(() => this.#begin(), renewAfter)
    signal.addEventListener('abort', () => clearTimeout(timer))
    try {
      await finishPasskeySignIn(this.#api, options, { mediation: 'conditional', signal })
      if (!signal.aborted) this.#listener.onSignedIn()
    } catch (error) {
      if (signal.aborted) return
      clearTimeout(timer)
      this.#isResting = true
      // A device without passkeys: nobody chose one, and the button says so to whoever asks.
      if (error instanceof DOMException && error.name === 'NotSupportedError') return
      this.#listener.onProblem(error)
    }
  }
}

/** Resolves with true when passkeys can be offered in the autofill of a field. */
async function isSupported(): Promise<boolean> {
  if (passkeyObstacle() !== undefined) return false
  const Credential = window.PublicKeyCredential as Partial<typeof PublicKeyCredential>
  return (await Credential.isConditionalMediationAvailable?.()) ?? false
}
