import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog, notifyDone, useSession } from '@hearth/ui'
import { useForm } from '@mantine/form'
import type { components } from '../api.gen.ts'
import { api, keys, type User } from '../api.ts'
import { toUserUpdate, type UserValues, userValues } from './user-values.ts'

const roles = [
  { value: 'user', label: 'User: sees dashboard and certificates, changes nothing' },
  { value: 'admin', label: 'Administrator: may do everything' },
]

const present = (text: string) => (text.trim() === '' ? 'Is needed' : null)

/** Adds an account with a first password. */
export function CreateUser({ onClose }: { onClose: () => void }) {
  const form = useForm<Required<components['schemas']['UserCreate']>>({
    initialValues: { username: '', password: '', role: 'user', password_change_required: true },
    validate: { username: present, password: present },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add user"
      submitLabel="Add user"
      form={form}
      submit={(body) => answer(api.POST('/api/users', { body }))}
      onDone={({ username }) => notifyDone(`${username} may sign in now`)}
      renew={[keys.users]}
    >
      <TextInput
        label="User name"
        description="Letters, digits, dots, underscores or hyphens, at most 50"
        autoCapitalize="none"
        autoComplete="off"
        data-autofocus
        required
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label="First password"
        description="At least 8 characters"
        autoComplete="new-password"
        required
        {...form.getInputProps('password')}
      />
      <NativeSelect label="Role" data={roles} {...form.getInputProps('role')} />
      <Checkbox
        label="Ask for a new password at the first sign-in"
        {...form.getInputProps('password_change_required', { type: 'checkbox' })}
      />
    </FormDialog>
  )
}

/** Changes an account; one's own role, activation and password are changed elsewhere or not at all. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const isSelf = useSession().user.id === user.id
  const form = useForm<UserValues>({ initialValues: userValues(user), validate: { username: present } })
  const submit = async (values: UserValues) => {
    const body = toUserUpdate(values, user)
    if (body === undefined) return undefined
    return answer(api.PATCH('/api/users/{id}', { params: { path: { id: user.id } }, body }))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${user.username}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      onDone={(saved) => notifyDone(saved === undefined ? 'Nothing was changed' : `${saved.username} is saved`)}
      renew={[keys.users]}
    >
      <TextInput label="User name" autoCapitalize="none" required data-autofocus {...form.getInputProps('username')} />
      {!isSelf && (
        <>
          <NativeSelect label="Role" data={roles} {...form.getInputProps('role')} />
          <Checkbox
            label="May sign in"
            description="Taken away, all sessions of this user end at once"
            {...form.getInputProps('is_active', { type: 'checkbox' })}
          />
          <PasswordInput
            label="New password"
            description="Empty keeps the present one; a new one ends the user’s sessions"
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <Checkbox
            label="Ask for a new password at the next sign-in"
            {...form.getInputProps('password_change_required', { type: 'checkbox' })}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Asks before an account goes. */
export function DeleteUser({ user, onClose }: { user: User; onClose: () => void }) {
  const passkeys = user.passkeys === 1 ? 'One passkey' : `${user.passkeys} passkeys`
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${user.username}?`}
      verb="Delete user"
      losses={[
        `The account ${user.username}`,
        'Its sessions, which end at once',
        user.passkeys === 0 ? 'Its recovery codes' : `${passkeys} and the recovery codes`,
      ]}
      action={{
        run: () => answer(api.DELETE('/api/users/{id}', { params: { path: { id: user.id } } })),
        renew: [keys.users],
      }}
    />
  )
}
