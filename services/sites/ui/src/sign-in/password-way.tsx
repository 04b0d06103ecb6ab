import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useSessionStore } from '@hearth/ui'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import type { Trouble } from './use-wait.ts'

/** Name and password; the name's field offers passkeys too, where the browser does so. */
export function PasswordWay({ trouble }: { trouble: Trouble }) {
  const session = useSessionStore()
  const [isBusy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    trouble.clear()
    try {
      await session.signIn({ username: text(form, 'username'), password: text(form, 'password') })
    } catch (error) {
      trouble.note(error)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          label="User name"
          name="username"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          required
          ref={first}
        />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        <Button type="submit" loading={isBusy} disabled={trouble.mustWait} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

/** A text field of a sent form. */
export function text(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
