import { answer } from '@hearth/ui'
import { api, type Passkey } from '../api.ts'

/**
 * Makes a passkey on this device or one nearby, and registers it. Throws what the server says, or the browser: an
 * `InvalidStateError` when the device has one already. May ask who is calling first.
 */
export async function registerPasskey(deviceName: string): Promise<Passkey> {
  const { options } = await answer(api.POST('/api/passkeys/register/start', { body: {} }))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null
  if (made === null) throw new DOMException('no passkey was made', 'NotAllowedError')
  const credential = made.toJSON() as never
  const { passkey } = await answer(
    api.POST('/api/passkeys/register/finish', { body: { credential, device_name: deviceName } }),
  )
  return passkey
}
