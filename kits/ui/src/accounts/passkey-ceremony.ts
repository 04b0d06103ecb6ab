import { ApiError, describeError, reasonOf } from '../api-error.ts'

/** Calls of a service that sign in with a passkey. Each throws an `ApiError`. */
export interface PasskeySignInApi {
  /** Starts a sign-in. The reason of the error is `passkeys_unavailable` at an address without passkeys. */
  start(): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Signs in. The reason of the error is `unknown_passkey` for a passkey that was removed. */
  finish(credential: object): Promise<unknown>
}

/** Returns the reason why this browser offers no passkeys on this page, in a sentence; undefined when it does. */
export function passkeyObstacle(): string | undefined {
  if (!window.isSecureContext)
    return 'Passkeys work over https only, and this page was opened without. Sign in with the password.'
  const Credential = window.PublicKeyCredential as Partial<typeof PublicKeyCredential> | undefined
  if (Credential?.parseRequestOptionsFromJSON === undefined)
    return 'This browser is too old for passkeys. Sign in with the password.'
  return undefined
}

/** Signs in with a passkey that the browser asks for. Throws an error of the browser or the server; see `describeCeremony`. */
export async function signInWithPasskey(api: PasskeySignInApi): Promise<void> {
  await finishPasskeySignIn(api, await api.start())
}

/** Options of the browser's request for a passkey; `conditional` offers passkeys in the autofill, and waits there. */
type PasskeyRequest = Pick<CredentialRequestOptions, 'mediation' | 'signal'>

/** Lets the browser find a passkey and signs in with it. Throws an error of the browser or the server. */
export async function finishPasskeySignIn(
  api: PasskeySignInApi,
  options: PublicKeyCredentialRequestOptionsJSON,
  request: PasskeyRequest = {},
): Promise<void> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = (await navigator.credentials.get({ publicKey, ...request })) as PublicKeyCredential | null
  if (credential === null) throw new DOMException('no passkey was chosen', 'NotAllowedError')
  try {
    await api.finish(credential.toJSON())
  } catch (error) {
    if (error instanceof ApiError && reasonOf(error) === 'unknown_passkey') await forget(credential.id, options.rpId)
    throw error
  }
}

/** Tells the device that the passkey is no longer known, so that it stops offering it. */
async function forget(credentialId: string, rpId: string | undefined): Promise<void> {
  const Credential = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  if (rpId === undefined) return
  await Credential.signalUnknownCredential?.({ rpId, credentialId }).catch(() => undefined)
}

/** Has the browser make a passkey. Throws an error of the browser: an `InvalidStateError` when the device has one already. */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null
  if (made === null) throw new DOMException('no passkey was made', 'NotAllowedError')
  return made.toJSON()
}

const byBrowser: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The passkey was not used: it was cancelled, took too long, or this device has none for this service.',
  InvalidStateError: 'This device has a passkey of your account already.',
  SecurityError: 'The browser refuses passkeys at this address.',
  NotSupportedError: 'This device cannot make a passkey that checks who you are.',
  ConstraintError:
    'This device cannot make a passkey that checks who you are. Set up a screen lock, or use another device.',
}

/** One sentence for a person about why a passkey could not be made or used; takes whatever was thrown. */
export function describeCeremony(error: unknown): string {
  if (error instanceof ApiError && reasonOf(error) === 'unknown_passkey')
    return 'This passkey is not known here any more. Sign in another way; this device forgets it where it can.'
  if (error instanceof ApiError && error.status === 401)
    return 'The passkey was not accepted. Sign in another way, or ask an administrator.'
  if (error instanceof ApiError && reasonOf(error) === 'challenge')
    return 'That took too long, or was used before. Try once more.'
  if (error instanceof ApiError) return describeError(error)
  const name = error instanceof Error ? error.name : ''
  return byBrowser[name] ?? describeError(error)
}
