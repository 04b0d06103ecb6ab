import { Button, Code, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import {
  ApiError,
  applyFieldProblems,
  Gate,
  Problem,
  type Service,
  useDocumentTitle,
  useSessionStore,
  useSignInFailure,
} from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ways } from '../api.ts'
import { RuleList } from './rule-list.tsx'

/** Makes the first administrator. The token proves that whoever sits here may look at the server. */
export function SetUpScreen({ service }: { service: Service }) {
  const session = useSessionStore()
  const [, navigate] = useLocation()
  const failure = useSignInFailure()
  const [isBusy, setBusy] = useState(false)
  useDocumentTitle('Set up', service.name)
  const form = useForm({
    initialValues: { token: '', username: 'admin', password: '', again: '' },
    validate: {
      token: (value) => (value.trim() === '' ? 'Required' : null),
      username: (value) => (value.trim() === '' ? 'Required' : null),
      password: (value) => (value.length < 8 ? 'Needs at least 8 characters' : null),
      again: (value, values) => (value === values.password ? null : 'Does not match the password'),
    },
  })
  const submit = form.onSubmit(async ({ token, username, password }) => {
    setBusy(true)
    failure.clear()
    try {
      await ways.setUp({ token: token.trim(), username, password })
      navigate('/welcome')
      await session.load()
    } catch (error) {
      setBusy(false)
      if (error instanceof ApiError && error.kind === 'already_set_up') return void session.load()
      if (error instanceof ApiError && error.kind === 'setup_token') {
        form.setFieldError('token', 'Is not the token of this service')
        form.getInputNode('token')?.focus()
        return
      }
      const rest = applyFieldProblems(form, error)
      if (rest !== null) failure.note(error, () => rest)
    }
  })
  return (
    <Gate service={service}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <div>
            <Title order={1}>Set up</Title>
            <Text c="dimmed">There is no account yet. Create the first administrator.</Text>
          </div>
          <Problem text={failure.text} />
          <TextInput
            label="Set-up token"
            description={
              <>
                Printed on the server’s terminal at its first start, and kept in the file <Code>setup-token</Code> of
                its data directory
              </>
            }
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            classNames={{ input: 'hearth-mono' }}
            data-autofocus
            required
            {...form.getInputProps('token')}
          />
          <TextInput
            label="User name"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            {...form.getInputProps('username')}
          />
          <div>
            <PasswordInput
              label="Password"
              autoComplete="new-password"
              aria-describedby="rules"
              required
              {...form.getInputProps('password')}
            />
            <RuleList id="rules" password={form.getValues().password} username={form.getValues().username} />
          </div>
          <PasswordInput label="Password again" autoComplete="new-password" required {...form.getInputProps('again')} />
          <Button type="submit" loading={isBusy} disabled={failure.mustWait} fullWidth>
            Make the administrator
          </Button>
        </Stack>
      </form>
    </Gate>
  )
}
