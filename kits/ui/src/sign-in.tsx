import { Alert, Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { IconAlertTriangle, IconClockPause } from '@tabler/icons-react'
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react'
import type { Service } from './service.ts'
import { type SignInForm, useSessionStore } from './session-store.ts'
import type { SignInFailure } from './sign-in-failure.ts'

/** A card in the middle of an empty page, under the service's name. */
export function Gate({ service, children }: { service: Pick<Service, 'name' | 'icon'>; children: ReactNode }) {
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

/** Title of a sign-in screen with what went wrong, or the note that a session has ended. */
export function SignInHead({ failure, ended }: { failure: SignInFailure; ended: boolean }) {
  return (
    <>
      <Title order={1}>Sign in</Title>
      {ended && failure.text === undefined && (
        <Alert color="gray" icon={<IconClockPause aria-hidden />} aria-live="polite">
          Your session has ended. Sign in again to continue where you left off.
        </Alert>
      )}
      <Problem text={failure.text} />
    </>
  )
}

interface PasswordSignInProps {
  failure: SignInFailure
  /** The browser offers passkeys at the field of the name. */
  offersPasskeys?: boolean
  /** Further fields, sent with name and password. */
  children?: ReactNode
}

/** State of a sign-in form: its first field has the focus, and `signIn` gets its values; a refusal goes to `failure`. */
export function useSignInForm(failure: SignInFailure, signIn: (form: FormData) => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    failure.clear()
    try {
      await signIn(form)
    } catch (error) {
      failure.note(error)
      setBusy(false)
    }
  }
  return { first, isBusy, submit }
}

/** Form with name and password; the button waits while another attempt would be refused. */
export function PasswordSignIn({ failure, offersPasskeys = false, children }: PasswordSignInProps) {
  const session = useSessionStore()
  const { first, isBusy, submit } = useSignInForm(failure, (form) =>
    session.signIn(Object.fromEntries(form) as SignInForm),
  )
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          label="User name"
          name="username"
          autoComplete={offersPasskeys ? 'username webauthn' : 'username'}
          autoCapitalize="none"
          spellCheck={false}
          required
          ref={first}
        />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        {children}
        <Button type="submit" loading={isBusy} disabled={failure.mustWait} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
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
