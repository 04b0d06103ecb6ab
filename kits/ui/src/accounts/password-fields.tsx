import { PasswordInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import type { ComponentType } from 'react'
import { ApiError } from '../api-error.ts'

/** Values of a form that changes a password. */
export interface PasswordValues extends Record<string, unknown> {
  current_password: string
  new_password: string
  again: string
}

/** A form with the current password, the new one, and the new one again. */
export function usePasswordForm(): UseFormReturnType<PasswordValues> {
  return useForm<PasswordValues>({
    initialValues: { current_password: '', new_password: '', again: '' },
    validate: {
      new_password: (value) => (value.length < 8 ? 'Needs at least 8 characters' : null),
      again: (value, values) => (value === values.new_password ? null : 'Does not match the new password'),
    },
  })
}

/** Puts the refusal of a current password at its input, also where the server names no field. */
export function atCurrentPassword(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.kind !== 'wrong_password') return error
  return new ApiError('Is not your password', { status: error.status, details: { field: 'current_password' } })
}

/** Differences between services in a form for passwords. */
export interface PasswordOptions {
  /** Replaces the standard advice under the new password by a list of rules that are kept or not. */
  readonly rules?: ComponentType<{ id: string; password: string; username: string }>
  /** Text under the current password. */
  readonly currentHint?: string
}

interface PasswordFieldsProps extends PasswordOptions {
  form: UseFormReturnType<PasswordValues>
  username: string
  /** False for somebody who sets a first password. */
  hasPassword?: boolean
}

/** The inputs of a password form. */
export function PasswordFields({ form, username, hasPassword = true, rules: Rules, currentHint }: PasswordFieldsProps) {
  return (
    <>
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      {hasPassword && (
        <PasswordInput
          label="Current password"
          description={currentHint}
          autoComplete="current-password"
          required={currentHint === undefined}
          data-autofocus
          {...form.getInputProps('current_password')}
        />
      )}
      <div>
        <PasswordInput
          label="New password"
          description={
            Rules === undefined && 'At least 8 characters; a few unrelated words are better than one clever one'
          }
          autoComplete="new-password"
          {...(Rules === undefined ? {} : { 'aria-describedby': 'new-rules' })}
          required
          {...form.getInputProps('new_password')}
        />
        {Rules !== undefined && <Rules id="new-rules" password={form.getValues().new_password} username={username} />}
      </div>
      <PasswordInput label="New password again" autoComplete="new-password" required {...form.getInputProps('again')} />
    </>
  )
}
