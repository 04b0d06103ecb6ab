import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog, useSession } from '@hearth/ui'
import { useForm } from '@mantine/form'
import type { components } from '../api.gen.ts'
import { api, keys, type User } from '../api.ts'
import { toUserUpdate, type UserValues, userValues } from './user-values.ts'

const roles = [
  { value: 'user', label: 'User: looks, changes nothing' },
  { value: 'admin', label: 'Administrator: may do everything' },
]

const present = (text: string) => (text.trim() === '' ? 'Is needed' : null)

/** Adds an account with a first password. */
export function CreateUser({ onClose }: { onClose: () => void }) {
  const form = useForm<Required<components['schemas']['UserCreate']>>({
    initialValues: {
      username: '',
      email: '',
      password: '',
      role: 'user',
      is_active: true,
      password_change_required: true,
    },
    validate: { username: present, email: present, password: present },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add user"
      submitLabel="Add user"
      form={form}
      submit={(body) => answer(api.POST('/api/users', { body }))}
      renew={[keys.users]}
    >
      <TextInput
        label="User name"
        description="Small letters and digits, with single “.”, “-” or “_” between them"
        autoCapitalize="none"
        autoComplete="off"
        data-autofocus
        required
        {...form.getInputProps('username')}
      />
      <TextInput label="E-mail" type="email" autoComplete="off" required {...form.getInputProps('email')} />
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

/** Changes an account; one's own role and activation stay as they are. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const self = useSession().user.id === user.id
  const form = useForm<UserValues>({ initialValues: userValues(user), validate: { username: present, email: present } })
  const submit = async (values: UserValues) => {
    const body = toUserUpdate(values, user)
    if (body === undefined) return { message: 'Nothing was changed' }
    return answer(api.PUT('/api/users/{id}', { params: { path: { id: user.id } }, body }))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${user.username}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      renew={[keys.users]}
    >
      <TextInput label="User name" autoCapitalize="none" required data-autofocus {...form.getInputProps('username')} />
      <TextInput label="E-mail" type="email" required {...form.getInputProps('email')} />
      {!self && (
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
        </>
      )}
    </FormDialog>
  )
}

/** Asks before an account goes. */
export function DeleteUser({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${user.username}?`}
      verb="Delete user"
      losses={[`The account ${user.username} (${user.email})`, 'Its sessions, which end at once', 'Its API tokens']}
      action={{
        run: () => answer(api.DELETE('/api/users/{id}', { params: { path: { id: user.id } } })),
        renew: [keys.users],
      }}
    />
  )
}
