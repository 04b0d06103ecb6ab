import type { SignInFailure } from '../security-log/security-event.ts'

/** Reason for a refusal of the passkeys. Each service turns it into its own answer; `message` is a sentence for the caller. */
export type PasskeyErrorReason =
  /** The user has no such passkey. */
  | { readonly kind: 'not-found' }
  | { readonly kind: 'too-many-passkeys' }
  | { readonly kind: 'already-registered' }
  /** The authenticator's answer to a registration is wrong. */
  | { readonly kind: 'invalid-registration' }
  /** The challenge is not one of this ceremony, was used, or is too old. */
  | { readonly kind: 'unknown-challenge' }
  | { readonly kind: 'too-many-challenges'; readonly retryAfterSeconds: number }
  /** The user would not be able to sign in without this passkey. */
  | { readonly kind: 'last-sign-in-method' }
  /** Browsers offer no passkey at the address that the page has. */
  | { readonly kind: 'wrong-address' }
  /** The sign-in failed; callers are told `isUnknown` at most, so that the browser stops offering the passkey. */
  | {
      readonly kind: 'sign-in-failed'
      readonly failure: SignInFailure
      readonly username?: string
      readonly isUnknown?: boolean
    }

/** Thrown by `Passkeys`; see `PasskeyErrorReason`. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError'
  readonly reason: PasskeyErrorReason

  constructor(reason: PasskeyErrorReason, message: string) {
    super(message)
    this.reason = reason
  }
}
