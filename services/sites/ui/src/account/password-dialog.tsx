import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core'
import { applyFieldProblems, notifyDone, Problem, useSessionStore } from '@hearth/ui'
import { ApiError } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys, type Session } from '../api.ts'
import { RuleList } from '../sign-in/rule-list.tsx'

/** Sets another password, or the first one of somebody who has passkeys alone. */
export function PasswordDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const store = useSessionStore()
  const cache = useQueryClient()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
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
      await store.changePassword(values.current_password, values.new_password)
      void cache.invalidateQueries({ queryKey: keys.account })
      notifyDone('Password changed. Your sessions in other browsers have ended.')
      onClose()
    } catch (error) {
      setBusy(false)
      if (error instanceof ApiError && error.kind === 'wrong_password')
        form.setFieldError('current_password', 'Is not your password')
      else setProblem(applyFieldProblems(form, error) ?? undefined)
    }
  })
  const { username } = session.user
  return (
    <Modal opened onClose={onClose} title={session.has_password ? 'Change password' : 'Set a password'}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Problem text={problem} />
          <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
          {session.has_password && (
            <PasswordInput
              label="Present password"
              description="Forgotten? Leave it empty within five minutes of signing in with a passkey or a recovery code."
              autoComplete="current-password"
              data-autofocus
              {...form.getInputProps('current_password')}
            />
          )}
          <div>
            <PasswordInput
              label="New password"
              autoComplete="new-password"
              aria-describedby="new-rules"
              required
              {...form.getInputProps('new_password')}
            />
            <RuleList id="new-rules" password={form.getValues().new_password} username={username} />
          </div>
          <PasswordInput
            label="New password again"
            autoComplete="new-password"
            required
            {...form.getInputProps('again')}
          />
          <Group justify="flex-end" className="hearth-dialog-actions">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              {session.has_password ? 'Change password' : 'Set password'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
