import { noEnvelope, type Call, type Envelope } from '@hearth/http'
import type { z } from 'zod'
import type { SignInMethod } from '../security-log/security-event.ts'
import type { MethodCaller } from './sign-in-methods.ts'

/** The parts of a request with which a service opens a session. */
export type SignInCall<Caller> = Pick<Call<Caller, undefined, undefined, undefined>, 'caller' | 'client' | 'answer'>

/** The place of the sign-in methods in a service's API. `Visitor` and `Caller` are what the two accesses give a handler. */
export interface SignInMethodMount<User, Visitor, Caller> {
  /** Such as `/api`: what precedes `/passkeys`, `/recovery-codes` and `/session/recovery`. */
  readonly prefix: string
  readonly tag: string
  readonly access: { readonly visitor: string; readonly user: string }
  readonly limits: Readonly<Record<'start' | 'signIn' | 'read' | 'write', string>>
  /** Cookie that binds a sign-in by passkey to its browser. */
  readonly cookie: { readonly name: string; readonly isPublishedSecurely: boolean }
  /** Throws a 409 where nobody can sign in; `callerOf` does then too. */
  readonly checkOpen?: () => void
  readonly callerOf: (caller: Caller) => MethodCaller
  readonly session: {
    readonly schema: z.ZodType
    /** Opens a session, sets its cookie and returns what the page may know of it. */
    readonly open: (call: SignInCall<Visitor>, user: User, method: SignInMethod) => Promise<unknown>
  }
  /** A recovery code may replace the password. */
  readonly recoversPasswords: boolean
  /** None by default. */
  readonly envelope?: Envelope
}

/** Returns the success of a route, in the service's envelope. */
export const success = (
  body: z.ZodType,
  { envelope = noEnvelope }: Pick<SignInMethodMount<never, never, never>, 'envelope'>,
) => ({ status: 200, body: envelope.schema(body) }) as const

/** Returns the error statuses of a route; every route may be closed where nobody can sign in. */
export const errorsOf = (
  { checkOpen }: Pick<SignInMethodMount<never, never, never>, 'checkOpen'>,
  ...statuses: readonly number[]
): number[] => [...new Set([...statuses, ...(checkOpen === undefined ? [] : [409])])]
