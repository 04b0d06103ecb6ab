import { Button, Modal } from '@mantine/core'
import {
  answer,
  ErrorState,
  LoadingLines,
  notifyDone,
  PageHeader,
  PasswordForm,
  RelativeTime,
  Section,
  useSession,
} from '@hearth/ui'
import { IconPassword, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type User } from '../api.ts'
import { TokenSection } from '../tokens/token-section.tsx'
import { EditUser } from '../users/user-dialogs.tsx'

/** The signed-in user's own account and tokens. */
export function ProfilePage() {
  const { user } = useSession()
  const account = useQuery({
    queryKey: [...keys.users, user.id],
    queryFn: async () => (await answer(api.GET('/api/users/{id}', { params: { path: { id: user.id } } }))).data,
  })
  return (
    <>
      <PageHeader title="Profile" />
      <div className="hearth-stack">
        {account.data === undefined && account.error === null && <LoadingLines lines={4} />}
        {account.data === undefined && account.error !== null && (
          <ErrorState error={account.error} onRetry={() => void account.refetch()} />
        )}
        {account.data !== undefined && <AccountSection user={account.data} />}
        <TokenSection />
      </div>
    </>
  )
}

function AccountSection({ user }: { user: User }) {
  const [dialog, setDialog] = useState<'edit' | 'password'>()
  const close = () => setDialog(undefined)
  const passwordChanged = () => {
    close()
    notifyDone('Password changed. Other sessions of yours have ended.')
  }
  return (
    <Section
      title="Account"
      actions={
        <div className="hearth-page-actions">
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setDialog('edit')}
          >
            Edit
          </Button>
          <Button
            variant="default"
            leftSection={<IconPassword size={16} aria-hidden />}
            onClick={() => setDialog('password')}
          >
            Change password
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
          <dt>E-mail</dt>
          <dd>{user.email}</dd>
        </div>
        <div>
          <dt>Role</dt>
          <dd>{user.role === 'admin' ? 'Administrator' : 'User'}</dd>
        </div>
        <div>
          <dt>Last sign-in</dt>
          <dd>
            <RelativeTime value={user.last_login_at} />
            {user.last_login_ip !== null && ` from ${user.last_login_ip}`}
          </dd>
        </div>
      </dl>
      {dialog === 'edit' && <EditUser user={user} onClose={close} />}
      <Modal opened={dialog === 'password'} onClose={close} title="Change password">
        <PasswordForm username={user.username} submitLabel="Change password" onDone={passwordChanged} />
      </Modal>
    </Section>
  )
}
