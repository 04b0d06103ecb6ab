import { Checkbox, MultiSelect, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog } from '@hearth/ui'
import { api, keys } from '../api.ts'
import { useGroups } from './read-access.ts'

/** Adds a user who signs in to protected sites only. */
export function VisitorDialog({ onClose }: { onClose: () => void }) {
  const { data: groups = [] } = useGroups()
  const form = useForm({
    initialValues: { username: '', email: '', password: '', password_change_required: true, groups: [] as string[] },
    validate: { username: (name) => (name.trim() === '' ? 'Required' : null) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add a visitor"
      submitLabel="Add visitor"
      form={form}
      submit={async ({ email, groups: chosen, ...rest }) => {
        const body = { ...rest, email: email.trim() === '' ? null : email, role: 'user' as const, sites_only: true }
        const user = await answer(api.POST('/api/users', { body }))
        for (const group of groups.filter(({ name }) => chosen.includes(name))) {
          const params = { path: { name: group.name } }
          const members = { user_ids: [...group.user_ids, user.id] }
          await answer(api.PUT('/api/v1/portal/groups/{name}', { params, body: members }))
        }
        return user
      }}
      renew={[keys.users, keys.groups]}
    >
      <TextInput label="User name" autoCapitalize="none" autoComplete="off" {...form.getInputProps('username')} />
      <TextInput
        label="E-mail"
        type="email"
        description="Protected sites get it with each request"
        autoComplete="off"
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label="First password"
        description="At least 8 characters"
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <MultiSelect label="Groups" searchable data={groups.map(({ name }) => name)} {...form.getInputProps('groups')} />
      <Checkbox
        label="Ask for a new password at the first sign-in"
        {...form.getInputProps('password_change_required', { type: 'checkbox' })}
      />
    </FormDialog>
  )
}
