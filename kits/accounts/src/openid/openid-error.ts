import type { SignInFailure } from '../security-log/security-event.ts'

/** Reason why a sign-in through an OpenID Connect provider failed; the sign-in page turns each into words. */
export type OpenIdFailure = Extract<SignInFailure, `openid_${string}` | 'disabled_account'>

/** Thrown when a sign-in through the provider fails. The message is for the log and holds no secret. */
export class OpenIdError extends Error {
  override readonly name = 'OpenIdError'
  readonly reason: OpenIdFailure
  /** The person's name at the provider, when the provider proved it. */
  readonly person: string | undefined

  constructor(reason: OpenIdFailure, message: string, options: ErrorOptions & { person?: string } = {}) {
    super(message, options)
    this.reason = reason
    this.person = options.person
  }
}
