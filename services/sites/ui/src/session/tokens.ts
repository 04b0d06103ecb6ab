import { readApiError, unreachable } from '@hearth/ui'

/** The token that every write carries. It belongs to the cookie, also to that of a visitor who is not signed in yet. */
export interface Tokens {
  /** The known one, or a new one. Throws an `ApiError`. */
  get(): Promise<string>
  /** Asks the server; the cookie may have changed in another window. */
  renew(): Promise<string>
  /** An answer brought the token of a new cookie. */
  put(token: string): void
  /** The cookie is gone. */
  forget(): void
}

/** Keeps the token of this window. */
export function createTokens(): Tokens {
  let known: string | undefined
  let asked: Promise<string> | undefined
  const fetchToken = async () => {
    const response = await fetch('/api/v1/csrf').catch(() => {
      throw unreachable()
    })
    if (!response.ok) throw await readApiError(response)
    const { token } = (await response.json()) as { token: string }
    known = token
    return token
  }
  // Two questions at once without a cookie would be answered with two cookies.
  const renew = () => {
    asked ??= fetchToken().finally(() => {
      asked = undefined
    })
    return asked
  }
  return {
    get: async () => known ?? (await renew()),
    renew,
    put: (token) => {
      known = token
    },
    forget: () => {
      known = undefined
    },
  }
}
