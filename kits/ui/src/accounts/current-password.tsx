import { PasswordInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useSession } from '../session-store.ts'

/** Asks for the password of the signed-in user, which proves a change of sign-in methods. */
export function CurrentPassword<Values extends { current_password: string }>(props: {
  form: UseFormReturnType<Values>
  hasFocus?: boolean
}) {
  const { username } = useSession().user
  return (
    <>
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        required
        {...(props.hasFocus === true && { 'data-autofocus': true })}
        {...props.form.getInputProps('current_password')}
      />
    </>
  )
}

/** Refuses an empty password before it is sent. */
export const passwordRequired = (password: string) => (password === '' ? 'Required' : null)
