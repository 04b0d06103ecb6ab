import { generateKeyPairSync } from 'node:crypto'
import type { Log } from '@hearth/runtime'
import type {
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'

/** Loads the library on first use, to keep starts fast. */
export const loadWebAuthn = () => import('@simplewebauthn/server')

/** Members of `PublicKeyCredential.toJSON()` that every credential has. */
interface Credential {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: object
}

/** A new credential, as `PublicKeyCredential.toJSON()` has it. */
export interface NewCredential extends Credential {
  readonly response: {
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly transports?: string[] | undefined
  }
}

/** The credential of a sign-in, as `PublicKeyCredential.toJSON()` has it. */
export interface UsedCredential extends Credential {
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string | null | undefined
  }
}

/** Facts that an authenticator's answer must match. */
export interface Expected {
  readonly challenge: string
  readonly rpId: string
  readonly origins: readonly string[]
  readonly log: Log
}

/** Kinds of keys a passkey may have, as COSE numbers them: EdDSA, ES256, RS256. */
export const keyKinds = [-8, -7, -257]

type RegistrationResponse = Parameters<typeof verifyRegistrationResponse>[0]['response']
type AuthenticationResponse = Parameters<typeof verifyAuthenticationResponse>[0]['response']

/** Verifies the answer to a registration; undefined when it is wrong. The reason goes to the log, at level debug. */
export async function verifyNewCredential(
  credential: NewCredential,
  { log, ...expected }: Expected,
): Promise<VerifiedRegistrationResponse['registrationInfo']> {
  const webAuthn = await loadWebAuthn()
  try {
    const { verified, registrationInfo } = await webAuthn.verifyRegistrationResponse({
      response: credential as unknown as RegistrationResponse,
      expectedChallenge: expected.challenge,
      expectedOrigin: [...expected.origins],
      expectedRPID: expected.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: keyKinds,
    })
    return verified ? registrationInfo : undefined
  } catch (error) {
    log.debug({ err: error }, 'a new passkey could not be verified')
    return undefined
  }
}

/**
 * Verifies the answer to a sign-in; undefined when it is wrong. The reason goes to the log, at level debug. The counter is not
 * compared here: whoever writes it compares it in the same step.
 */
export async function verifyUsedCredential(
  credential: UsedCredential,
  publicKey: Uint8Array<ArrayBuffer>,
  { log, ...expected }: Expected,
): Promise<VerifiedAuthenticationResponse['authenticationInfo'] | undefined> {
  const webAuthn = await loadWebAuthn()
  try {
    const { verified, authenticationInfo } = await webAuthn.verifyAuthenticationResponse({
      response: asResponse(credential),
      expectedChallenge: expected.challenge,
      expectedOrigin: [...expected.origins],
      expectedRPID: expected.rpId,
      requireUserVerification: true,
      credential: { id: credential.id, publicKey, counter: 0 },
    })
    return verified ? authenticationInfo : undefined
  } catch (error) {
    log.debug({ err: error }, 'a passkey was not accepted')
    return undefined
  }
}

function asResponse({ response: { userHandle, ...response }, ...rest }: UsedCredential) {
  const withHandle = { ...response, ...(userHandle == null ? {} : { userHandle }) }
  return { ...rest, response: withHandle } as AuthenticationResponse
}

/**
 * Creates a public key whose private half nobody has, as COSE bytes (RFC 9053: EC2, ES256, P-256). The answer of a passkey
 * that does not exist is verified with it, so that the refusal takes as long as for one that does.
 */
export function createDecoyKey(): Uint8Array<ArrayBuffer> {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => [...Buffer.from(text, 'base64url')]
  // Map of five: kty EC2, alg ES256, crv P-256, then x and y as strings of 32 bytes.
  return Uint8Array.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32, ...bytes(x), 0x22, 0x58, 32, ...bytes(y)])
}
