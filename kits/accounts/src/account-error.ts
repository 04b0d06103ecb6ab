/** Reason for a refusal of this kit. Each service turns it into its own answer. */
export type AccountErrorReason =
  /** The user name or the proof is wrong, or the proof is right but the user disabled; callers are not told which. */
  | { readonly kind: 'wrong-credentials'; readonly isDisabled: boolean; readonly isByCode: boolean }
  /** Too many failures; at most `limit` are let through in `windowSeconds`. */
  | {
      readonly kind: 'rate-limited'
      readonly limit: number
      readonly windowSeconds: number
      readonly retryAfterSeconds: number
    }
  /** The owner has `max` API tokens already. */
  | { readonly kind: 'too-many-tokens'; readonly max: number }
  /** The change would leave no administrator. */
  | { readonly kind: 'last-administrator' }
  /** A password in a body is refused; `member` and `message` form a sentence. */
  | {
      readonly kind: 'invalid-password'
      readonly member: string
      readonly code: 'wrong_password' | 'same_password' | 'weak_password'
      readonly message: string
    }

/** Thrown by the parts of this kit; see `AccountErrorReason`. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
  readonly reason: AccountErrorReason

  constructor(reason: AccountErrorReason) {
    super(messageOf(reason))
    this.reason = reason
  }
}

function messageOf(reason: AccountErrorReason): string {
  switch (reason.kind) {
    case 'wrong-credentials':
      return `The user name or the ${reason.isByCode ? 'recovery code' : 'password'} is wrong`
    case 'rate-limited':
      return `Too many failures; try again in ${reason.retryAfterSeconds} s`
    case 'too-many-tokens':
      return `There are ${reason.max} tokens already; revoke one first`
    case 'last-administrator':
      return 'This is the last active administrator'
    case 'invalid-password':
      return `${reason.member} ${reason.message}`
  }
}
