import { lazy } from 'react'
import type { Service } from '../service.ts'
import type { RecoveryWay } from './recovery-sign-in.tsx'
import type { SignInMethodsApi } from './sign-in-methods-api.ts'

/** Loaded when nobody is signed in: most visits never see it. */
const PasskeySignInScreen = lazy(async () => ({
  default: (await import('./passkey-sign-in-screen.tsx')).PasskeySignInScreen,
}))

/** Returns the sign-in screen of a service with these calls: by password, passkey or recovery code. */
export function signInScreenOf(api: SignInMethodsApi, recovery: Omit<RecoveryWay, 'signIn'>) {
  const way: RecoveryWay = { ...recovery, signIn: (values) => api.recover(values) }
  return function SignInPage(props: { service: Service; ended: boolean }) {
    return <PasskeySignInScreen {...props} passkeys={api.passkeySignIn} recovery={way} />
  }
}
