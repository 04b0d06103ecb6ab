import { useQuery } from '@tanstack/react-query'
import { tableAnswer } from '../data-table.tsx'
import { PasskeyList } from './passkey-list.tsx'
import { RecoverySection } from './recovery-codes.tsx'
import { methodKeys, type SignInMethodsApi } from './sign-in-methods-api.ts'

/** Passkeys and recovery codes of the signed-in user; every change of them asks for the password. */
export function SignInMethods({ api, service }: { api: SignInMethodsApi; service: string }) {
  const passkeys = useQuery({ queryKey: methodKeys.passkeys, queryFn: () => api.listPasskeys() })
  const codes = useQuery({ queryKey: methodKeys.codes, queryFn: () => api.countCodes() })
  return (
    <>
      <PasskeyList admin={api.passkeys} answer={tableAnswer(passkeys, passkeys.data)} />
      {codes.data !== undefined && (
        <RecoverySection
          service={service}
          left={codes.data}
          needsPassword
          create={(password) => api.createCodes(password)}
          renew={[methodKeys.codes]}
        />
      )}
    </>
  )
}
