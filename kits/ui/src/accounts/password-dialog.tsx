import { FormDialog } from '../form-dialog.tsx'
import { useSession, useSessionStore } from '../session-store.ts'
import { notifyDone } from '../notifications.tsx'
import { atCurrentPassword, PasswordFields, type PasswordOptions, usePasswordForm } from './password-fields.tsx'

interface PasswordDialogProps extends PasswordOptions {
  onClose: () => void
  /** False for somebody who sets a first password. */
  hasPassword?: boolean
  /** Cached answers to read again afterwards. */
  renew?: readonly (readonly unknown[])[]
}

/** Changes the password of the signed-in user. */
export function PasswordDialog({ onClose, hasPassword = true, renew, ...options }: PasswordDialogProps) {
  const { user } = useSession()
  const session = useSessionStore()
  const form = usePasswordForm()
  const verb = hasPassword ? 'Change password' : 'Set password'
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={hasPassword ? verb : 'Set a password'}
      submitLabel={verb}
      form={form}
      submit={(values) =>
        session.changePassword(values.current_password, values.new_password).catch((error: unknown) => {
          throw atCurrentPassword(error)
        })
      }
      onDone={() => notifyDone('Password changed. Your sessions in other browsers have ended.')}
      {...(renew === undefined ? {} : { renew })}
    >
      <PasswordFields form={form} username={user.username} hasPassword={hasPassword} {...options} />
    </FormDialog>
  )
}
