import { Button, Divider, Stack, Text } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useDocumentTitle } from '../page.ts'
import type { Service } from '../service.ts'
import { useSessionStore } from '../session-store.ts'
import { Gate, PasswordSignIn, SignInHead } from '../sign-in.tsx'
import { type SignInFailure, useSignInFailure } from '../sign-in-failure.ts'
import { OpenIdSignIn } from './openid-sign-in.tsx'
import { PasskeyAutofill } from './passkey-autofill.ts'
import { describeCeremony, passkeyObstacle, type PasskeySignInApi, signInWithPasskey } from './passkey-ceremony.ts'
import { RecoverySignIn, type RecoveryWay } from './recovery-sign-in.tsx'

interface PasskeySignInProps {
  service: Service
  ended: boolean
  passkeys: PasskeySignInApi
  /** See `RecoverySignIn`. */
  recovery?: RecoveryWay
}

/** Signs in by password, by a passkey in the autofill or behind the button, or by a recovery code. */
export function PasskeySignInScreen({ service, ended, passkeys, recovery }: PasskeySignInProps) {
  const failure = useSignInFailure()
  const [method, setMethod] = useState<'password' | 'recovery'>('password')
  const passkey = usePasskeySignIn(passkeys, failure)
  useDocumentTitle('Sign in', service.name)
  const change = (next: typeof method) => {
    failure.clear()
    setMethod(next)
  }
  return (
    <Gate service={service}>
      <Stack>
        <SignInHead failure={failure} ended={ended} />
        {method === 'password' ? (
          <PasswordSignIn failure={failure} offersPasskeys>
            {service.signInFields}
          </PasswordSignIn>
        ) : (
          <RecoverySignIn failure={failure} way={recovery} />
        )}
        <Divider label="or" labelPosition="center" />
        {passkey.obstacle === undefined ? (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} aria-hidden />}
            loading={passkey.isBusy}
            disabled={failure.mustWait}
            onClick={() => void passkey.signIn()}
          >
            Sign in with a passkey
          </Button>
        ) : (
          <Text size="sm" c="dimmed" className="hearth-no-passkeys">
            <Linked text={passkey.obstacle} />
          </Text>
        )}
        <OpenIdSignIn path={service.openIdPath} failure={failure} />
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          onClick={() => change(method === 'password' ? 'recovery' : 'password')}
        >
          {method === 'password' ? 'Use a recovery code' : 'Use the password'}
        </Button>
      </Stack>
      <Text c="dimmed" size="sm" mt="md">
        {service.signInHint}
      </Text>
    </Gate>
  )
}

function usePasskeySignIn(api: PasskeySignInApi, failure: SignInFailure) {
  const session = useSessionStore()
  const [obstacle, setObstacle] = useState(passkeyObstacle)
  const [isBusy, setBusy] = useState(false)
  const autofill = useRef<PasskeyAutofill>(undefined)
  const noteAside = useRef(failure.noteAside)
  useEffect(() => {
    const offered = new PasskeyAutofill(api, {
      onSignedIn: () => void session.load(),
      onProblem: (error) => noteAside.current(error, describeCeremony),
      onUnavailable: setObstacle,
    })
    autofill.current = offered
    return () => offered.close()
  }, [api, session])
  const signIn = async () => {
    autofill.current?.pause()
    failure.clear()
    setBusy(true)
    try {
      await signInWithPasskey(api)
      await session.load()
    } catch (error) {
      failure.note(error, describeCeremony)
      setBusy(false)
      autofill.current?.resume()
    }
  }
  return { obstacle, isBusy, signIn }
}

/** A sentence of the server with its web addresses as links. */
function Linked({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s,;]+)/).map((part, place) =>
    // Every second part is what was split at.
    place % 2 === 0 ? (
      part
    ) : (
      <a key={part} className="hearth-link" href={part}>
        {part}
      </a>
    ),
  )
}
