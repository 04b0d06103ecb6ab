import { Button, Stack, Text, TextInput } from '@mantine/core'
import { notifyDone, useSessionStore } from '@hearth/ui'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { text } from './password-way.tsx'
import type { Trouble } from './use-wait.ts'

/** Name and one of the codes that were shown once. Leads to the account, where the lost way in is replaced. */
export function RecoveryWay({ trouble }: { trouble: Trouble }) {
  const session = useSessionStore()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    trouble.clear()
    try {
      const [username, code] = [text(form, 'username'), text(form, 'recovery_code')]
      await session.signIn({ username, password: '', recovery_code: code })
      navigate('/account')
      notifyDone(
        'That code is used up. Set a new password or add a passkey now; for five minutes neither is asked for.',
      )
    } catch (error) {
      trouble.note(error)
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
        <Button type="submit" loading={isBusy} disabled={trouble.mustWait} fullWidth>
          Sign in with the code
        </Button>
      </Stack>
    </form>
  )
}
