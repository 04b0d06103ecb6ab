import type { Service } from '@hearth/ui'
import { lazy } from 'react'
import { ways } from '../api.ts'
import { SignInScreen } from './sign-in-screen.tsx'

/** Loaded when it is needed: once for every service. */
const SetUpScreen = lazy(async () => ({ default: (await import('./set-up-screen.tsx')).SetUpScreen }))

/** What somebody sees who is not signed in: the set-up while there is no administrator, the sign-in from then on. */
export function SignedOut(props: { service: Service; ended: boolean }) {
  return ways.isSetUpNeeded() ? <SetUpScreen service={props.service} /> : <SignInScreen {...props} />
}
