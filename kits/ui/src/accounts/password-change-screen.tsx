import { Button, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useDocumentTitle } from '../page.ts'
import { applyFieldProblems } from '../form-problems.ts'
import type { Service } from '../service.ts'
import { useSession, useSessionStore } from '../session-store.ts'
import { Gate, Problem } from '../sign-in.tsx'
import { atCurrentPassword, PasswordFields, usePasswordForm } from './password-fields.tsx'

/** Asks for a new password before anything else may be done. */
export function PasswordChangeScreen({ service }: { service: Service }) {
  const { user } = useSession()
  const session = useSessionStore()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const form = usePasswordForm()
  useDocumentTitle('Choose a new password', service.name)
  const submit = form.onSubmit(async (values) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await session.changePassword(values.current_password, values.new_password)
    } catch (error) {
      setBusy(false)
      setProblem(applyFieldProblems(form, atCurrentPassword(error)) ?? undefined)
    }
  })
  return (
    <Gate service={service}>
      <form onSubmit={submit}>
        <Stack>
          <div>
            <Title order={1}>Choose a new password</Title>
            <Text c="dimmed">The password you signed in with was given to you. Only you should know the next one.</Text>
          </div>
          <Problem text={problem} />
          <PasswordFields form={form} username={user.username} />
          <Button type="submit" loading={isBusy}>
            Continue
          </Button>
          <Button variant="subtle" color="gray" onClick={() => void session.signOut()}>
            Sign out
          </Button>
        </Stack>
      </form>
    </Gate>
  )
}
