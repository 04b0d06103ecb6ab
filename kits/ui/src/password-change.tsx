import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useDocumentTitle } from './document-title.ts'
import { applyFieldProblems } from './form-problems.ts'
import type { Service } from './service.ts'
import { useSession, useSessionStore } from './session-context.tsx'
import { Gate, Problem } from './sign-in.tsx'

/** Asks for a new password before anything else may be done. */
export function PasswordChangeScreen({ service }: { service: Service }) {
  const { user } = useSession()
  const session = useSessionStore()
  useDocumentTitle('Choose a new password', service.name)
  return (
    <Gate service={service}>
      <Stack>
        <div>
          <Title order={1}>Choose a new password</Title>
          <Text c="dimmed">The password you signed in with was given to you. Only you should know the next one.</Text>
        </div>
        <PasswordForm username={user.username} onDone={() => undefined} submitLabel="Set password and go on" />
        <Button variant="subtle" color="gray" onClick={() => void session.signOut()}>
          Sign out
        </Button>
      </Stack>
    </Gate>
  )
}

/** Present password, new password, and the new one again. */
export function PasswordForm(props: { username: string; submitLabel: string; onDone: () => void }) {
  const session = useSessionStore()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const form = useForm({
    initialValues: { current_password: '', new_password: '', again: '' },
    validate: {
      new_password: (value) => (value.length < 8 ? 'Needs at least 8 characters' : null),
      again: (value, values) => (value === values.new_password ? null : 'Is not the same as the new password'),
    },
  })
  const submit = form.onSubmit(async (values) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await session.changePassword(values.current_password, values.new_password)
      form.reset()
      props.onDone()
    } catch (error) {
      setProblem(applyFieldProblems(form, error) ?? undefined)
    } finally {
      setBusy(false)
    }
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <Problem text={problem} />
        <input type="text" name="username" autoComplete="username" value={props.username} readOnly hidden />
        <PasswordInput
          label="Present password"
          autoComplete="current-password"
          required
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label="New password"
          description="At least 8 characters; a few unrelated words are better than one clever one"
          autoComplete="new-password"
          required
          {...form.getInputProps('new_password')}
        />
        <PasswordInput
          label="New password again"
          autoComplete="new-password"
          required
          {...form.getInputProps('again')}
        />
        <Button type="submit" loading={busy}>
          {props.submitLabel}
        </Button>
      </Stack>
    </form>
  )
}
