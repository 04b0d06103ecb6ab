import { ApiError } from '@hearth/ui'
import type { components } from '../api.gen.ts'
import type { SitesSession } from '../session/sites-session.ts'

type Schemas = components['schemas']

/** How the browser is asked, and until when. */
export interface PasskeyUse {
  /** `conditional` offers passkeys in the autofill, and waits there. */
  readonly mediation?: 'conditional'
  readonly signal?: AbortSignal
}

/** Begins a sign-in on the server; throws an `ApiError`, of kind `passkeys_unavailable` at an address without passkeys. */
export async function startPasskeySignIn(ways: Pick<SitesSession, 'post'>) {
  const { options } = await ways.post<Schemas['PasskeyLoginOptions']>('/api/passkeys/login/start', {})
  return options as unknown as PublicKeyCredentialRequestOptionsJSON
}

/** Lets the browser find a passkey and signs in with it. Throws what the browser or the server says; see `describeCeremony`. */
export async function finishPasskeySignIn(
  ways: Pick<SitesSession, 'post'>,
  options: PublicKeyCredentialRequestOptionsJSON,
  use: PasskeyUse = {},
): Promise<void> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = (await navigator.credentials.get({ publicKey, ...use })) as PublicKeyCredential | null
  if (credential === null) throw new DOMException('no passkey was chosen', 'NotAllowedError')
  try {
    await ways.post('/api/passkeys/login/finish', { credential: credential.toJSON() })
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unknown_passkey') await forget(credential.id, options.rpId)
    throw error
  }
}

/** Tells the device that nobody knows the passkey any more, so that it stops to offer it. */
async function forget(credentialId: string, rpId: string | undefined): Promise<void> {
  const Credential = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  if (rpId === undefined) return
  await Credential.signalUnknownCredential?.({ rpId, credentialId }).catch(() => undefined)
}
