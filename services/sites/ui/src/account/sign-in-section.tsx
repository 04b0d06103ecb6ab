import { Button } from '@mantine/core'
import { answer, ConfirmDelete, Fact, PasswordDialog, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { IconKeyOff, IconPassword } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Session } from '../api.ts'
import { RuleList } from '../sign-in/rule-list.tsx'

/** The account of the signed-in user, and its password. */
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
        <Fact name="User name">{user.username}</Fact>
        <Fact name="Role">{user.role === 'admin' ? 'Administrator' : 'User'}</Fact>
        <Fact name="Password">
          <StatusBadge tone={hasPassword ? 'good' : 'quiet'}>{hasPassword ? 'Set' : 'Passkeys only'}</StatusBadge>
        </Fact>
        <Fact name="Session ends">
          <RelativeTime value={session.expires_at} /> without use
        </Fact>
      </dl>
      {dialog === 'password' && (
        <PasswordDialog
          onClose={close}
          hasPassword={hasPassword}
          currentHint="Forgotten? Leave it empty within five minutes of signing in with a passkey or a recovery code."
          rules={RuleList}
          renew={[keys.account]}
        />
      )}
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
