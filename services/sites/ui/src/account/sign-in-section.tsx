import { Button } from '@mantine/core'
import { answer, ConfirmDelete, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { IconKeyOff, IconPassword } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Session } from '../api.ts'
import { PasswordDialog } from './password-dialog.tsx'

/** Who is signed in, and the password. */
export function SignInSection({ session }: { session: Session }) {
  const [dialog, setDialog] = useState<'password' | 'remove'>()
  const close = () => setDialog(undefined)
  const { user, has_password: hasPassword, passkeys } = session
  return (
    <Section
      title="Account"
      actions={
        <div className="hearth-page-actions">
          {hasPassword && passkeys > 0 && (
            <Button
              variant="default"
              leftSection={<IconKeyOff size={16} aria-hidden />}
              onClick={() => setDialog('remove')}
            >
              Remove password
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconPassword size={16} aria-hidden />}
            onClick={() => setDialog('password')}
          >
            {hasPassword ? 'Change password' : 'Set a password'}
          </Button>
        </div>
      }
    >
      <dl className="hearth-facts" data-start>
        <div>
          <dt>User name</dt>
          <dd>{user.username}</dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user.role === 'admin' ? 'Administrator' : 'User'}</dd>
        </div>
        <div>
          <dt>Password</dt>
          <dd>
            <StatusBadge tone={hasPassword ? 'good' : 'quiet'}>{hasPassword ? 'Set' : 'Passkeys only'}</StatusBadge>
          </dd>
        </div>
        <div>
          <dt>Session ends</dt>
          <dd>
            <RelativeTime value={session.expires_at} /> without use
          </dd>
        </div>
      </dl>
      {dialog === 'password' && <PasswordDialog session={session} onClose={close} />}
      <ConfirmDelete
        opened={dialog === 'remove'}
        onClose={close}
        title="Remove your password?"
        verb="Remove password"
        losses={[
          'Signing in with the password; your passkeys stay',
          'Your sessions in other browsers, which end at once',
        ]}
        action={{
          run: () => answer(api.DELETE('/api/session/password')),
          done: () => 'You sign in with passkeys alone now',
          renew: [keys.account],
        }}
      />
    </Section>
  )
}
