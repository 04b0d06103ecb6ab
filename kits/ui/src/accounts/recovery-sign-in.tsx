import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { useSessionStore } from '../session-store.ts'
import type { SignInFailure } from '../sign-in-failure.ts'
import { useSignInForm } from '../sign-in.tsx'
import { notifyDone } from '../notifications.tsx'

/** Form with name and recovery code. Opens the account page afterwards, where the lost sign-in method is replaced. */
export function RecoverySignIn({ failure }: { failure: SignInFailure }) {
  const session = useSessionStore()
  const [, navigate] = useLocation()
  const { first, isBusy, submit } = useSignInForm(failure, async (form) => {
    const values = Object.fromEntries(form) as Record<'username' | 'recovery_code', string>
    await session.signIn({ ...values, password: '' })
    navigate('/account')
    notifyDone('That code is used up. Set a new password or add a passkey now; for five minutes neither is asked for.')
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
        <Button type="submit" loading={isBusy} disabled={failure.mustWait} fullWidth>
          Sign in with the code
        </Button>
      </Stack>
    </form>
  )
}
