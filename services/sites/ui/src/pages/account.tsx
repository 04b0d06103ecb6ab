import {
  answer,
  ConfirmDelete,
  Fact,
  PageHeader,
  PasswordDialog,
  QueryState,
  RelativeTime,
  Section,
  StatusBadge,
} from '@hearth/ui'
import { IconKeyOff, IconPassword } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { OwnSessions } from '../account/own-sessions.tsx'
import { SiteTokens } from '../account/own-tokens.tsx'
import { Passkeys, RecoveryCodes } from '../account/sign-in-methods.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys, readSession, type Session } from '../api.ts'
import { RuleList } from '../sign-in/rule-list.tsx'

/** The signed-in user's sign-in methods. */
export function AccountPage() {
  const session = useQuery({ queryKey: keys.account, queryFn: readSession })
  return (
    <>
      <PageHeader title="Account" description="How you sign in here." />
      <div className="hearth-stack">
        <QueryState query={session} lines={4} />
        {session.data !== undefined && <SignInSection session={session.data} />}
        <Passkeys />
        {session.data !== undefined && <RecoveryCodes session={session.data} />}
        {session.data?.api_tokens === true && <SiteTokens />}
        <OwnSessions />
      </div>
    </>
  )
}

/** The account of the signed-in user, and its password. */
function SignInSection({ session }: { session: Session }) {
  const [dialog, setDialog] = useState<'password' | 'remove'>()
  const close = () => setDialog(undefined)
  const { user, has_password: hasPassword, passkeys } = session
  return (
    <Section
      title="Account"
      actions={
        <div className="hearth-page-actions">
          {hasPassword && passkeys > 0 && (
            <IconButton icon={IconKeyOff} onClick={() => setDialog('remove')}>
              Remove password
            </IconButton>
          )}
          <IconButton icon={IconPassword} onClick={() => setDialog('password')}>
            {hasPassword ? 'Change password' : 'Set a password'}
          </IconButton>
        </div>
      }
    >
      <dl className="hearth-facts" data-start>
        <Fact name="User name">{user.username}</Fact>
        <Fact name="Role">{user.role === 'admin' ? 'Administrator' : 'User'}</Fact>
        <Fact name="Password">
          <StatusBadge tone={hasPassword ? 'good' : 'quiet'}>
            {hasPassword ? 'Set' : passkeys > 0 ? 'Passkeys only' : 'None'}
          </StatusBadge>
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
