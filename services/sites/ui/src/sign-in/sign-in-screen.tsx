import { Button, Divider, Stack, Text } from '@mantine/core'
import {
  Gate,
  PasswordSignIn,
  type Service,
  type SignInFailure,
  SignInHead,
  useDocumentTitle,
  useSessionStore,
  useSignInFailure,
} from '@hearth/ui'
import { IconFingerprint } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { ways } from '../api.ts'
import { type Autofill, keepAutofill } from '../passkeys/autofill.ts'
import { describeCeremony } from '../passkeys/ceremony-words.ts'
import { finishPasskeySignIn, startPasskeySignIn } from '../passkeys/passkey-sign-in.ts'
import { passkeyObstacle } from '../passkeys/passkey-support.ts'
import { Linked } from './linked.tsx'
import { RecoveryWay } from './recovery-way.tsx'

/** Asks who comes in: by password, by a passkey in the autofill or behind the button, or by a recovery code. */
export function SignInScreen({ service, ended }: { service: Service; ended: boolean }) {
  const failure = useSignInFailure()
  const [way, setWay] = useState<'password' | 'recovery'>('password')
  const passkey = usePasskeyWay(failure)
  useDocumentTitle('Sign in', service.name)
  const change = (next: typeof way) => {
    failure.clear()
    setWay(next)
  }
  return (
    <Gate service={service}>
      <Stack>
        <SignInHead failure={failure} ended={ended} />
        {way === 'password' ? <PasswordSignIn failure={failure} offersPasskeys /> : <RecoveryWay failure={failure} />}
        <Divider label="or" labelPosition="center" />
        {passkey.obstacle === undefined ? (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} aria-hidden />}
            loading={passkey.isBusy}
            disabled={failure.mustWait}
            onClick={() => void passkey.use()}
          >
            Sign in with a passkey
          </Button>
        ) : (
          <Text size="sm" c="dimmed" className="no-passkeys">
            <Linked text={passkey.obstacle} />
          </Text>
        )}
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          onClick={() => change(way === 'password' ? 'recovery' : 'password')}
        >
          {way === 'password' ? 'Use a recovery code' : 'Use the password'}
        </Button>
      </Stack>
      <Text c="dimmed" size="sm" mt="md">
        {service.signInHint}
      </Text>
    </Gate>
  )
}

/** Signing in with a passkey. */
interface PasskeyWay {
  /** Why there are none here. */
  readonly obstacle: string | undefined
  readonly isBusy: boolean
  use(): Promise<void>
}

function usePasskeyWay(failure: SignInFailure): PasskeyWay {
  const session = useSessionStore()
  const [obstacle, setObstacle] = useState(passkeyObstacle)
  const [isBusy, setBusy] = useState(false)
  const autofill = useRef<Autofill>(undefined)
  const note = useRef(failure.note)
  useEffect(() => {
    note.current = failure.note
  })
  useEffect(() => {
    const kept = keepAutofill(ways, {
      onSignedIn: () => void session.load(),
      onProblem: (error) => note.current(error, describeCeremony),
      onUnavailable: setObstacle,
    })
    autofill.current = kept
    return () => kept.close()
  }, [session])
  const use = async () => {
    autofill.current?.pause()
    failure.clear()
    setBusy(true)
    try {
      await finishPasskeySignIn(ways, await startPasskeySignIn(ways))
      await session.load()
    } catch (error) {
      failure.note(error, describeCeremony)
      setBusy(false)
      autofill.current?.resume()
    }
  }
  return { obstacle, isBusy, use }
}
