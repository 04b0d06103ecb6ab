import { Alert, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconAlertTriangle, IconClockPause } from '@tabler/icons-react'
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { describeError } from './api-error.ts'
import type { Service } from './service.ts'
import { useSessionStore } from './session-context.tsx'
import type { SignInForm } from './session-store.ts'
import { useDocumentTitle } from './document-title.ts'

/** A card in the middle of an empty page, under the service's name. */
export function Gate({ service, children }: { service: Service; children: ReactNode }) {
  const Icon = service.icon
  return (
    <main className="hearth-gate">
      <div className="hearth-gate-brand">
        <Icon size={26} stroke={1.7} aria-hidden />
        <span>
          <b>Hearth</b> {service.name}
        </span>
      </div>
      <div className="hearth-card hearth-gate-card">{children}</div>
    </main>
  )
}

/** Asks for name and password. */
export function SignInScreen({ service, ended }: { service: Service; ended: boolean }) {
  const session = useSessionStore()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useDocumentTitle('Sign in', service.name)
  useEffect(() => first.current?.focus(), [])
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = Object.fromEntries(new FormData(event.currentTarget)) as SignInForm
    setBusy(true)
    setProblem(undefined)
    try {
      await session.signIn(form)
    } catch (error) {
      setProblem(describeError(error))
      setBusy(false)
    }
  }
  return (
    <Gate service={service}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Title order={1}>Sign in</Title>
          {ended && problem === undefined && (
            <Alert color="gray" icon={<IconClockPause aria-hidden />} aria-live="polite">
              Your session has ended. Sign in again to go on where you were.
            </Alert>
          )}
          <Problem text={problem} />
          <TextInput
            label="User name"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            required
            ref={first}
          />
          <PasswordInput label="Password" name="password" autoComplete="current-password" required />
          {service.signInFields}
          <Button type="submit" loading={busy} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
      <Text c="dimmed" size="sm" mt="md">
        {service.signInHint}
      </Text>
    </Gate>
  )
}

/** Says in red, and to screen readers at once, why something did not work. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert" className="hearth-problem">
      {text}
    </Alert>
  )
}
