import { readApiError, unreachable } from '@hearth/ui'

/** The token that every write carries. It belongs to the cookie, also to that of a visitor who is not signed in yet. */
export class Tokens {
  #known: string | undefined
  #request: Promise<string> | undefined

  /** Returns the known token, or a new one. Throws an `ApiError`. */
  async get(): Promise<string> {
    return this.#known ?? (await this.renew())
  }

  /** Requests a token from the server; the cookie may have changed in another window. */
  renew(): Promise<string> {
    // Two requests at once without a cookie would be answered with two cookies.
    this.#request ??= this.#fetch().finally(() => {
      this.#request = undefined
    })
    return this.#request
  }

  /** Stores the token of a new cookie, or forgets that of one that is gone. */
  put(token: string | undefined): void {
    this.#known = token
  }

  async #fetch(): Promise<string> {
    const response = await fetch('/api/v1/csrf').catch(() => {
      throw unreachable()
    })
    if (!response.ok) throw await readApiError(response)
    const { token } = (await response.json()) as { token: string }
    this.#known = token
    return token
  }
}
