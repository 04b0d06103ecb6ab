import type { Service } from '@hearth/ui'
import { ways } from '../api.ts'
import { SetUpScreen } from './set-up-screen.tsx'
import { SignInScreen } from './sign-in-screen.tsx'

/** What somebody sees who is not signed in: the set-up while there is no administrator, the sign-in from then on. */
export function SignedOut(props: { service: Service; ended: boolean }) {
  return ways.isSetUpNeeded() ? <SetUpScreen service={props.service} /> : <SignInScreen {...props} />
}
