import { Button, Stack, Text, TextInput } from '@mantine/core'
import { notifyDone, type SignInFailure, useSessionStore } from '@hearth/ui'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'

/** Name and one of the codes that were shown once. Leads to the account, where the lost way in is replaced. */
export function RecoveryWay({ failure }: { failure: SignInFailure }) {
  const session = useSessionStore()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = Object.fromEntries(new FormData(event.currentTarget)) as Record<'username' | 'recovery_code', string>
    setBusy(true)
    failure.clear()
    try {
      await session.signIn({ ...form, password: '' })
      navigate('/account')
      notifyDone(
        'That code is used up. Set a new password or add a passkey now; for five minutes neither is asked for.',
      )
    } catch (error) {
      failure.note(error)
      setBusy(false)
    }
  }
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
