/** Reasons why a sign-in through an OpenID Connect provider failed; the sign-in page turns each into words. */
export const openIdFailures = [
  'openid_cancelled',
  'openid_expired',
  'openid_invalid',
  'openid_unavailable',
  'openid_not_allowed',
  'openid_name_taken',
  'openid_too_many_users',
  'disabled_account',
] as const
/** Reason why a sign-in through an OpenID Connect provider failed. */
export type OpenIdFailure = (typeof openIdFailures)[number]

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
