import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { useSessionStore } from '../session-store.ts'
import type { SignInFailure } from '../sign-in-failure.ts'
import { useSignInForm } from '../sign-in.tsx'
import { notifyDone } from '../notifications.tsx'
import type { RecoveryValues } from './sign-in-methods-api.ts'

/** A service's own sign-in by recovery code, and what follows it. */
export interface RecoveryWay {
  signIn(values: RecoveryValues): Promise<unknown>
  /** A new password may come with the code. */
  readonly replacesPassword: boolean
  /** Path of the page where sign-in methods are changed. */
  readonly opens: string
  readonly done: string
}

/**
 * Form with name and recovery code. Opens the account page afterwards, where the lost sign-in method is replaced. Without a way
 * of the service's own the session takes the code in place of the password.
 */
export function RecoverySignIn({ failure, way }: { failure: SignInFailure; way?: RecoveryWay | undefined }) {
  const session = useSessionStore()
  const [, navigate] = useLocation()
  const { first, isBusy, submit } = useSignInForm(failure, async (form) => {
    const { new_password: next = '', ...values } = Object.fromEntries(form) as unknown as RecoveryValues
    if (way === undefined) await session.signIn({ ...values, password: '' })
    else {
      await way.signIn({ ...values, ...(next !== '' && { new_password: next }) })
      await session.load()
    }
    navigate(way?.opens ?? '/account')
    notifyDone(next === '' ? (way?.done ?? replaceNow) : 'That code is used up, and your new password is set.')
  })
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text c="dimmed" size="sm">
          Each of the codes you kept signs you in once, in place of password and passkey.
        </Text>
        <TextInput
          label="User name"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          required
          ref={first}
        />
        <TextInput
          label="Recovery code"
          name="recovery_code"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="xxxx-xxxx-xxxx-xxxx"
          classNames={{ input: 'hearth-mono' }}
          required
        />
        {way?.replacesPassword === true && (
          <PasswordInput
            label="New password"
            description="Takes the place of a lost one and ends your other sessions; leave it empty to keep yours"
            name="new_password"
            autoComplete="new-password"
          />
        )}
        <Button type="submit" loading={isBusy} disabled={failure.mustWait} fullWidth>
          Sign in with the code
        </Button>
      </Stack>
    </form>
  )
}

const replaceNow =
  'That code is used up. Set a new password or add a passkey now; for five minutes neither is asked for.'
