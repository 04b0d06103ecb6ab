import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { useSession } from '../session-store.ts'
import { changedUserValues, type UserAdministration, type UserRow, type UserValues, userValues } from './users.ts'

interface DialogProps<User extends UserRow> {
  admin: UserAdministration<User>
  onClose: () => void
}

const required = (text: string) => (text.trim() === '' ? 'Required' : null)

/** Adds an account with a first password. */
export function CreateUser<User extends UserRow>({ admin, onClose }: DialogProps<User>) {
  const form = useForm<UserValues>({
    initialValues: {
      username: '',
      email: '',
      password: '',
      role: 'user',
      is_active: true,
      password_change_required: true,
    },
    validate: { username: required, password: required, ...(admin.hasEmail === true ? { email: required } : {}) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add user"
      submitLabel="Add user"
      form={form}
      submit={(values) => admin.create(values)}
      renew={admin.renew}
    >
      <NameFields form={form} admin={admin} hint={admin.nameHint} />
      <PasswordInput
        label="First password"
        description="At least 8 characters"
        autoComplete="new-password"
        required
        {...form.getInputProps('password')}
      />
      <RoleField form={form} admin={admin} />
      <Checkbox
        label="Ask for a new password at the first sign-in"
        {...form.getInputProps('password_change_required', { type: 'checkbox' })}
      />
    </FormDialog>
  )
}

/** Changes an account; the signed-in user's own role, activation and password have no inputs here. */
export function EditUser<User extends UserRow>({ admin, user, onClose }: DialogProps<User> & { user: User }) {
  const isSelf = useSession().user.id === user.id
  const form = useForm<UserValues>({
    initialValues: userValues(user),
    validate: { username: required, ...(admin.hasEmail === true ? { email: required } : {}) },
  })
  const submit = async (values: UserValues) => {
    const changes = changedUserValues(values, user)
    return changes === undefined ? { message: 'Nothing was changed' } : admin.update(user, changes)
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${user.username}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      renew={admin.renew}
    >
      <NameFields form={form} admin={admin} />
      {!isSelf && (
        <>
          <RoleField form={form} admin={admin} />
          <Checkbox
            label="May sign in"
            description="When this is off, all sessions of the user end at once"
            {...form.getInputProps('is_active', { type: 'checkbox' })}
          />
          <PasswordInput
            label="New password"
            description="Empty keeps the current one; a new one ends the user’s sessions"
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          {admin.mayRequirePassword === true && (
            <Checkbox
              label="Ask for a new password at the next sign-in"
              {...form.getInputProps('password_change_required', { type: 'checkbox' })}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

interface FieldProps {
  form: UseFormReturnType<UserValues>
  admin: Pick<UserAdministration<UserRow>, 'hasEmail' | 'userRole'>
}

function NameFields({ form, admin, hint }: FieldProps & { hint?: string }) {
  return (
    <>
      <TextInput
        label="User name"
        description={hint}
        autoCapitalize="none"
        autoComplete="off"
        data-autofocus
        required
        {...form.getInputProps('username')}
      />
      {admin.hasEmail === true && (
        <TextInput label="E-mail" type="email" autoComplete="off" required {...form.getInputProps('email')} />
      )}
    </>
  )
}

function RoleField({ form, admin }: FieldProps) {
  const roles = [
    { value: 'user', label: `User: ${admin.userRole}` },
    { value: 'admin', label: 'Administrator: may do everything' },
  ]
  return <NativeSelect label="Role" data={roles} {...form.getInputProps('role')} />
}

/** Asks before an account goes. */
export function DeleteUser<User extends UserRow>({ admin, user, onClose }: DialogProps<User> & { user: User }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${user.username}?`}
      verb="Delete user"
      losses={admin.losses(user)}
      action={{ run: () => admin.remove(user), renew: admin.renew }}
    />
  )
}
