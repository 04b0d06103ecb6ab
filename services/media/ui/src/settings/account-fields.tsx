import { PasswordInput, TextInput } from '@mantine/core'
import type { FormErrors, UseFormReturnType } from '@mantine/form'

/** Name and password of the one account. */
export type AccountValues = { admin_username: string; admin_password: string; again: string }

export const noAccount: AccountValues = { admin_username: '', admin_password: '', again: '' }

/** What is wrong with an account before it is sent. */
export function checkAccount({ admin_username: name, admin_password: password, again }: AccountValues): FormErrors {
  return {
    ...(/^[\w-]{1,64}$/.test(name) ? {} : { admin_username: 'Letters, digits, underscores and hyphens, 64 at most' }),
    ...(password.length >= 8 ? {} : { admin_password: 'Needs at least 8 characters' }),
    ...(again === password ? {} : { again: 'Does not match the password' }),
  }
}

/** The fields of the account, for a form of its values. */
export function AccountFields({ form }: { form: UseFormReturnType<AccountValues> }) {
  return (
    <>
      <TextInput
        label="User name"
        autoComplete="username"
        autoCapitalize="none"
        maw={420}
        {...form.getInputProps('admin_username')}
      />
      <PasswordInput
        label="Password"
        description="At least 8 characters; a few unrelated words are better than one clever one"
        autoComplete="new-password"
        maw={420}
        {...form.getInputProps('admin_password')}
      />
      <PasswordInput label="Password again" autoComplete="new-password" maw={420} {...form.getInputProps('again')} />
    </>
  )
}
