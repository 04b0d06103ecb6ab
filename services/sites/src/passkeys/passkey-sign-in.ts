import type { SignInFailure } from '@hearth/accounts'
import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { Log } from '@hearth/runtime'
import type { Origin } from '../accounts/sign-in.ts'
import type { OpenSession } from '../accounts/sessions.ts'
import { usersIn } from '../accounts/store.ts'
import type { PasskeyRow, UserRow } from '../database/tables.ts'
import { unauthenticated } from '../problems.ts'
import { challengeFor } from './challenges.ts'
import { createDecoyKey } from './decoy-key.ts'
import type { PasskeyParts } from './passkey-parts.ts'
import type { UsedCredential } from './schema.ts'
import { findPasskeyRowByCredential, usePasskeyRow } from './store.ts'

/** Signing in with a passkey: with any that the browser finds for this service, so that no name is asked for. */
export interface PasskeySignIn {
  /** @param key of the session or the visitor in whose browser it happens */
  start(key: string): Promise<Record<string, unknown>>
  /**
   * Throws one and the same refusal for whatever is wrong with the passkey, in about the same time; the code alone says when it
   * is not known at all.
   */
  finish(credential: UsedCredential, key: string, origin: Origin): Promise<OpenSession>
}

export function createPasskeySignIn(parts: PasskeyParts): PasskeySignIn {
  const decoyKey = createDecoyKey()
  const { challenges, relyingParty, sessions, securityLog } = parts
  return {
    async start(key) {
      const challenge = await challenges.create({ kind: 'login', key, userId: null })
      const options = await generateAuthenticationOptions({
        rpID: relyingParty.id,
        challenge: Buffer.from(challenge, 'base64url'),
        userVerification: 'required',
        timeout: challengeFor,
        allowCredentials: [],
      })
      return { ...options }
    },
    async finish(credential, key, { address, before }) {
      const ceremony = { kind: 'login', key, userId: null } as const
      const challenge = await challenges.consume(ceremony, credential.response.clientDataJSON)
      const found = await examine(parts, { credential, challenge, decoyKey })
      if ('reason' in found) {
        securityLog.failed({ client: address, username: found.username, reason: found.reason, status: 401 })
        // Whoever knows a credential's id has the credential, so this gives nothing away; the browser stops to offer it then.
        throw unauthenticated('The passkey was not accepted', found.isUnknown === true ? 'unknown_passkey' : undefined)
      }
      return sessions.open(found.user, 'passkey', before)
    },
  }
}

interface Claim {
  readonly credential: UsedCredential
  readonly challenge: string
  readonly decoyKey: Uint8Array<ArrayBuffer>
}

/** Whose passkey it is, or why it does not count. */
async function examine(
  parts: PasskeyParts,
  claim: Claim,
): Promise<{ user: UserRow } | { reason: SignInFailure; username?: string; isUnknown?: boolean }> {
  const { database, clock } = parts
  const { credential } = claim
  const passkey = await findPasskeyRowByCredential(database.query, credential.id)
  const user = await usersIn(database.query).find(passkey?.user_id ?? '')
  const proof = await verify(parts, claim, passkey)
  if (passkey === undefined) return { reason: 'invalid_passkey', isUnknown: true }
  if (proof === undefined || user === undefined) return { reason: 'invalid_passkey' }
  const { username } = user
  // A passkey that signs in without a name says itself whose it is.
  if (credential.response.userHandle !== user.user_handle) return { reason: 'invalid_passkey', username }
  if (user.is_active !== 1) return { reason: 'disabled_account', username }
  const use = { counter: proof.newCounter, at: clock.now(), backedUp: proof.credentialBackedUp }
  const isNewest = await usePasskeyRow(database.query, passkey.id, use)
  return isNewest ? { user } : { reason: 'possible_clone', username }
}

async function verify(
  { relyingParty, port, log }: PasskeyParts,
  { credential, challenge, decoyKey }: Claim,
  passkey: PasskeyRow | undefined,
) {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: asResponse(credential),
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins(port())],
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      credential: {
        id: credential.id,
        publicKey: passkey === undefined ? decoyKey : Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
        // The counter is compared where it is written, in one step.
        counter: 0,
      },
    })
    return verified ? authenticationInfo : undefined
  } catch (error) {
    noteReason(log, error)
    return undefined
  }
}

/** The library's words name what the browser sent; they are for whoever looks for the cause of a refusal. */
function noteReason(log: Log, error: unknown): void {
  log.debug({ err: error }, 'a passkey was not accepted')
}

type Response = Parameters<typeof verifyAuthenticationResponse>[0]['response']

function asResponse({ response: { userHandle, ...response }, ...rest }: UsedCredential) {
  return { ...rest, response: { ...response, ...(userHandle == null ? {} : { userHandle }) } } as Response
}
