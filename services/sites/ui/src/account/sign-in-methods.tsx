import { answer, PasskeyList, type PasskeyAdministration, RecoverySection, tableAnswer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Session } from '../api.ts'

const administration: PasskeyAdministration = {
  async startRegistration() {
    const { options } = await answer(api.POST('/api/passkeys/register/start', { body: {} }))
    return options as unknown as PublicKeyCredentialCreationOptionsJSON
  },
  async finishRegistration(credential, deviceName) {
    const body = { credential: credential as never, device_name: deviceName }
    return (await answer(api.POST('/api/passkeys/register/finish', { body }))).passkey
  },
  rename: ({ id }, deviceName) =>
    answer(api.PATCH('/api/passkeys/{id}', { params: { path: { id } }, body: { device_name: deviceName } })),
  remove: ({ id }) => answer(api.DELETE('/api/passkeys/{id}', { params: { path: { id } } })),
  renew: [keys.passkeys, keys.account],
}

/** The passkeys of the signed-in user. */
export function Passkeys() {
  const passkeys = useQuery({ queryKey: keys.passkeys, queryFn: () => answer(api.GET('/api/passkeys')) })
  return <PasskeyList admin={administration} answer={tableAnswer(passkeys, passkeys.data)} />
}

/** The recovery codes of the signed-in user. */
export function RecoveryCodes({ session }: { session: Session }) {
  return (
    <RecoverySection
      service="Sites"
      left={session.recovery_codes_left}
      create={() => answer(api.POST('/api/session/recovery-codes'))}
      renew={[keys.account]}
    />
  )
}
